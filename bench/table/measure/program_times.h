#pragma once

#include <cstdint>
#include <string>

#include "bench/table/measure/measured.h"
#include "bench/table/measure/plan_runs.h"

namespace isoshard::bench {

/// The time of a program on its devices divided by that of its reference on one, which has the same products.
Measured over_unsharded(const ProgramFile& file, int workers);

/// The peer's time for the same program divided by ours on all cores.
Measured program_beside_peer(const ProgramFile& file, const std::string& peer);

/// Seconds of one run on two workers, lowering apart.
Measured program_seconds(const ProgramFile& file);

}  // namespace isoshard::bench
