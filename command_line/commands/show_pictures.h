#pragma once

#include "command_line/settings.h"

namespace isoshard::command_line {

/// `show --html`, `--svg` and `--grid`: programs and Plans for people to look at.
int show_pictures(const Settings& settings);

}  // namespace isoshard::command_line
