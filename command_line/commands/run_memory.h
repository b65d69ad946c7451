#pragma once

#include <span>

#include "command_line/settings.h"
#include "core/plan/calls/call_list.h"
#include "core/plan/plan.h"
#include "core/support/diagnostic.h"

namespace isoshard::command_line {

/// Whether the memory of this machine can hold a run of these lists; reports (D-memory) that it cannot. What devices
/// have is asked by their ranks.
bool fits_memory(const Plan& plan, std::span<const calls::CallList> lists, const Settings& settings,
                 DiagnosticSink& sink);

}  // namespace isoshard::command_line
