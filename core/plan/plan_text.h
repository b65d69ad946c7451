#pragma once

#include <string>

#include "core/plan/plan.h"

namespace isoshard {

/// The text of a Plan, first line `isoshard-plan 1`: one line per instruction, queue by queue, rank-dependent fields as
/// expressions over coordinates.
///
/// `#7` names instruction 7 (numbers ascend in issue order), `after #7` is a token, `frees %x` a last use.
std::string to_text(const Plan& plan);

/// `all_reduce`, `collective_permute {dst=(model+1)%4, src=(model-1)%4}`: op and fields of one instruction.
std::string to_text(const Plan& plan, const Instruction& instruction);

}  // namespace isoshard
