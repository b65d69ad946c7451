#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "core/support/diagnostic.h"

namespace isoshard::command_line {

using Json = nlohmann::ordered_json;

/// What every JSON answer starts with: the version of its form (`"isoshard": 1`) and the exit code.
Json json_envelope(int exit_code);

/// An array of `{severity, rule, location, message, notes}`; rule and location may be null.
Json to_json(const std::vector<Diagnostic>& diagnostics);

}  // namespace isoshard::command_line
