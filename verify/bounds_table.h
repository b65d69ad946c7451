#pragma once

#include <vector>

#include "verify/output_bound.h"
#include "verify/ring_stage.h"

namespace isoshard::verify {

/// One per output that some rung of `rungs` spoke about.
std::vector<OutputBound> bounds_table(const Pair& pair, const std::vector<RungRecord>& rungs);

}  // namespace isoshard::verify
