#pragma once

#include <vector>

#include "core/plan/plan.h"

namespace isoshard {

/// `plan` with only the outputs `wanted` (per output), in their order, and what they need; ids of instructions and
/// outputs are new, those of values stay.
///
/// What nothing wanted needs goes on all ranks alike: instructions, whole collectives, values carried by loops. Every
/// assert_equal stays. In a Plan with several groups of ranks the instructions that meet (core/plan/exchanges.h) stay
/// or go together. Tokens are those that data flow needs.
Plan keep_outputs(const Plan& plan, const std::vector<bool>& wanted);

}  // namespace isoshard
