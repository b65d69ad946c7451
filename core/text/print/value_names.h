#pragma once  // internal

#include <string>
#include <vector>

#include "core/ir/module.h"

namespace isoshard::text {

/// A name for each value of `program`, unique in it, that says what the value is: the global of a view, else the op and
/// the line that made it, as in `dot_general_21`, the second one of a line with a number more, `dot_general_21_2`.
/// Arguments of loops are `argument`, `argument_2` and so on.
std::vector<std::string> value_names(const Module& module, const Program& program);

}  // namespace isoshard::text
