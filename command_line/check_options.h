#pragma once

#include <optional>
#include <string>

#include "command_line/settings.h"
#include "core/ir/module.h"
#include "verify/check.h"

namespace isoshard::command_line {

/// What `check` takes from the command line.
verify::CheckOptions check_options(const Settings& settings);

/// Loads an input for its claims, those about gradients in their place where the settings ask for them; an input
/// without claims is an error, too. Nothing where the input is bad.
std::optional<Module> load_claims(const std::string& input, const Settings& settings, DiagnosticSink& sink);

}  // namespace isoshard::command_line
