#pragma once

#include <string>

#include "bench/table/measure/measured.h"

namespace isoshard::bench {

/// The peer's time divided by `own_seconds`: of the last `bench/compare` where that has the case, otherwise the number
/// recorded on another machine (peers.cc). Both are the least of their repetitions.
Measured beside_peer(const std::string& name, double own_seconds);

}  // namespace isoshard::bench
