#pragma once

#include <string>

#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// Which law the rungs lack about the functions that the differing outputs depend on, in one clause.
std::string missing_law(const Pair& pair, const RingOutcome& outcome);

}  // namespace isoshard::verify
