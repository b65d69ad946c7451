#pragma once

#include <optional>
#include <vector>

#include "core/plan/plan.h"
#include "core/support/rational.h"

namespace isoshard::verify {

/// Per value of `plan` the instruction that makes it; invalid for what loops hand in.
std::vector<InstructionId> definitions(const Plan& plan);

/// The number that all elements of `id` are, where one constant, broadcast or reshaped, makes it; `made`:
/// definitions().
std::optional<Rational> number_of(const Plan& plan, const std::vector<InstructionId>& made, PlanValueId id);

/// Per value whether it is made of constants and places on the mesh only: the same in every run. Plans without loops.
std::vector<char> made_without_inputs(const Plan& plan);

}  // namespace isoshard::verify
