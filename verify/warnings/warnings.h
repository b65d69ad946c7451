#pragma once

#include <vector>

#include "core/ir/module.h"
#include "sim/engine/workers.h"

namespace isoshard::verify {

/// What is no error in `module` and yet hardly meant: values that reach no output (W-unused-value), globals that no
/// program reads (W-unused-global), programs that no check names (W-unchecked), checks of a program against itself
/// (W-same), globals without elements (W-empty) and long sums in f32 (W-sum). In the order of the file. Values and
/// sums are told of texts only, not of programs that a Builder made.
std::vector<Diagnostic> module_warnings(const Module& module);

/// Whether one side of `check`, whose programs are equal as formulas, overflows where the other one does not
/// (W-overflow): at most one warning, at the op that overflows. Runs both programs twice in their own dtypes, on inputs
/// of 64 and 256 times their usual size, where both hold an exponential; no run otherwise.
std::vector<Diagnostic> overflow_warnings(const Module& module, const Check& check, uint64_t seed,
                                          const sim::Workers& workers);

}  // namespace isoshard::verify
