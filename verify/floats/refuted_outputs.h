#pragma once

#include <vector>

#include "verify/floats/float_run.h"

namespace isoshard::verify {

/// Far more than rounding in f64 makes of programs that are numerically sound, whatever their bounds say.
bool differs_plainly(const FloatOutput& output);

/// Which of the outputs that are `open` a few random inputs tell apart by more than rounding explains, with masks as
/// written and, where some rung may take them so, with masks that are infinite: whatever rungs find, these are no
/// EQUAL. Beside such an output also those that differ plainly, though their bounds are too large to tell: the pair is
/// NOT EQUAL whatever they are. `options.known` limits the integers that count.
std::vector<bool> refuted_outputs(const Pair& pair, const FloatOptions& options, const std::vector<bool>& open);

}  // namespace isoshard::verify
