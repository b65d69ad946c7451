#pragma once

#include <string>

#include "apps/isoshard/settings.h"
#include "verify/check.h"

namespace isoshard::app {

/// What `check` takes from the command line.
verify::CheckOptions check_options(const Settings& settings);

/// What is said of an input without claims.
std::string no_check(const std::string& input);

}  // namespace isoshard::app
