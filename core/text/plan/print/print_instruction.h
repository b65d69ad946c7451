#pragma once  // internal

#include <string>

#include "core/plan/plan.h"
#include "core/text/plan/print/line_names.h"

namespace isoshard::text {

/// `#7 %y = op %x {...} : f32[4]  from call  action "2F0"  after #3  frees %x`, without the end of the line.
std::string print_instruction(const Plan& plan, InstructionId id, LineNames& names);

/// The same without the action, which a call says for all that it writes.
std::string print_in_function(const Plan& plan, InstructionId id, LineNames& names);

/// `  action "2F0"`; nothing where it is part of none.
std::string print_action(const Plan& plan, ActionId id);

}  // namespace isoshard::text
