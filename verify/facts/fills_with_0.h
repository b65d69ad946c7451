#pragma once

#include "core/plan/plan.h"

namespace isoshard::verify {

/// Whether an instruction puts +0 where nothing comes: into a block that nobody sends, that a device does not hold, or
/// around an array.
bool fills_with_0(const Plan& plan, const Instruction& instruction);

}  // namespace isoshard::verify
