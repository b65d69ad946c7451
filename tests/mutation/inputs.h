#pragma once

#include <vector>

#include "tests/reference/interpreter.h"
#include "tests/reference/rounded.h"

namespace isoshard::mutation {

/// What a program reads: the whole of each global.
using Inputs = std::vector<reference::Array<reference::Rounded>>;

}  // namespace isoshard::mutation
