#pragma once

#include <memory>

#include "command_line/settings.h"
#include "core/support/location.h"
#include "core/support/result_fwd.h"

namespace isoshard::command_line {

/// All of standard input, as a file that is called `<stdin>`.
Result<std::shared_ptr<const SourceFile>> read_standard_input();

/// Reads the input that is called `-`, if there is one, from standard input, and calls it `<stdin>`; false, and an
/// error is printed, where there are two, or where it cannot be read.
bool take_standard_input(Settings& settings);

}  // namespace isoshard::command_line
