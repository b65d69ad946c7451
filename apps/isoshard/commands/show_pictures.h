#pragma once

#include "apps/isoshard/settings.h"

namespace isoshard::app {

/// `show --html`, `--svg` and `--grid`: programs and Plans for people to look at.
int show_pictures(const Settings& settings);

}  // namespace isoshard::app
