#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// Per value of `plan` in `steps` steps: whether it may be made of a number that rung E takes for an infinity, of data
/// to which such a number is added among them, and of exponentials of either, which are 0 or infinite there. A number
/// is what is made of constants and integers only; one that is not seen to be smaller than masks are counts
/// (sim/domains/masks.h).
std::vector<bool> made_of_masks(const Plan& plan, int64_t steps);

}  // namespace isoshard::verify
