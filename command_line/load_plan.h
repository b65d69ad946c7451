#pragma once

#include <optional>
#include <string>

#include "command_line/settings.h"
#include "core/text/plan/plan_text.h"

namespace isoshard::command_line {

/// The Plan file at `path`; errors go to `sink`, also those of options that a Plan does not take.
std::optional<text::PlanFile> load_plan(const std::string& path, const Settings& settings, DiagnosticSink& sink);

}  // namespace isoshard::command_line
