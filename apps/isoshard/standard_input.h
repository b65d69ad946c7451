#pragma once

#include "apps/isoshard/settings.h"

namespace isoshard::app {

/// Reads the input that is called `-`, if there is one, from standard input, and calls it `<stdin>`; false, and an
/// error is printed, where there are two, or where it cannot be read.
bool take_standard_input(Settings& settings);

}  // namespace isoshard::app
