#pragma once

#include <string>

#include "core/ir/program.h"

namespace isoshard {

/// The expression that `id` is in the source, shortened, where the user gave it no name: "`dot_general(%x, %w)
/// {contra...`".
///
/// Empty for values with names, for those that passes made and for programs without a text. A backward value of such
/// an expression is "the gradient at `...`".
std::string written_as(const Program& program, ValueId id);

/// `%y`, or what written_as says of a value without a name.
std::string in_words(const Program& program, ValueId id);

}  // namespace isoshard
