#pragma once

#include <string>
#include <vector>

#include "core/support/diagnostic.h"

namespace isoshard::command_line {

/// A workflow command of GitHub Actions per diagnostic, `::error file=a.shard,line=3,col=5,title=S-linear::message`,
/// which shows it beside the line of the change (docs.github.com, "Workflow commands for GitHub Actions").
std::string to_github(const std::vector<Diagnostic>& diagnostics);

}  // namespace isoshard::command_line
