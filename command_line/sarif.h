#pragma once

#include <string>
#include <vector>

#include "core/support/diagnostic.h"

namespace isoshard::command_line {

/// The diagnostics as SARIF 2.1.0 (OASIS), one run: each with its rule, level, message and region. Paths are relative
/// where they can be, columns count code points.
std::string to_sarif(const std::vector<Diagnostic>& diagnostics);

}  // namespace isoshard::command_line
