#pragma once

#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// Per value of `plan` the instruction that makes it; invalid for what loops hand in.
std::vector<InstructionId> definitions(const Plan& plan);

/// Per value whether it is made of constants and places on the mesh only: the same in every run. Plans without loops.
std::vector<char> made_without_inputs(const Plan& plan);

}  // namespace isoshard::verify
