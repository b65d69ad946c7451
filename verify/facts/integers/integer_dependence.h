#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// Per value of `plan`: whether it depends on an integer, a key or a predicate of the inputs, or on a comparison of
/// floats; of more than one step also through updates.
std::vector<bool> depends_on_integers(const Plan& plan, int64_t steps = 1);

/// The first assert_equal of `plan` whose operand depends on them; invalid where there is none.
InstructionId asserted_integers(const Plan& plan);

}  // namespace isoshard::verify
