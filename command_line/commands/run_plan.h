#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command_line/settings.h"
#include "core/plan/calls/call_list.h"
#include "core/plan/plan.h"

namespace isoshard::command_line {

/// What each rank of a Plan issues, in the buffers that are planned for it; errors go to `sink`, and `code` then says
/// which they are: kBadInput for options (I-ranks), kUndecided where no buffers can be planned or exec has no kernel.
std::optional<std::vector<calls::CallList>> make_call_lists(const Plan& plan, const Settings& settings,
                                                            DiagnosticSink& sink, int& code);

/// The calls of --rank, or those of all ranks, equal ones once under the names of their ranks.
std::string calls_text(const Plan& plan, const std::vector<calls::CallList>& lists, const Settings& settings);

}  // namespace isoshard::command_line
