#pragma once

#include <vector>

#include "core/ir/module.h"

namespace isoshard::verify {

/// What is no error in `module` and yet hardly meant: values that reach no output (W-unused-value), globals that no
/// program reads (W-unused-global), lets that nothing reads (W-unused-let), programs that no check names
/// (W-unchecked), checks of a program against itself (W-same), globals without elements (W-empty), long sums in f32
/// (W-sum) and gradients that are 0 for all inputs (W-zero-gradient). In the order of the file. Values, lets, sums and
/// gradients of funcs are told of texts only, not of programs that a Builder made.
std::vector<Diagnostic> module_warnings(const Module& module);

}  // namespace isoshard::verify
