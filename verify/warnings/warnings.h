#pragma once

#include <vector>

#include "core/ir/module.h"
#include "sim/engine/workers.h"

namespace isoshard::verify {

/// What is no error in `module` and yet hardly meant: values that reach no output (W-unused-value), globals that no
/// program reads (W-unused-global), lets that nothing reads (W-unused-let), programs that no check names
/// (W-unchecked), checks of a program against itself (W-same), globals without elements (W-empty), long sums in f32
/// (W-sum) and gradients that are 0 for all inputs (W-zero-gradient). In the order of the file. Values, lets, sums and
/// gradients of funcs are told of texts only, not of programs that a Builder made.
std::vector<Diagnostic> module_warnings(const Module& module);

/// Whether one side of `check`, whose programs are equal as formulas, overflows where the other one does not
/// (W-overflow): at most one warning, at the op that overflows. Runs both programs twice in their own dtypes, on inputs
/// of 64 and 256 times their usual size, where one holds an exponential or a constant of 1e15 and more or 1e-15 and
/// less; no run otherwise.
std::vector<Diagnostic> overflow_warnings(const Module& module, const Check& check, uint64_t seed,
                                          const sim::Workers& workers);

}  // namespace isoshard::verify
