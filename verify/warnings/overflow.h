#pragma once

#include <cstdint>
#include <vector>

#include "core/support/diagnostic.h"
#include "sim/engine/workers.h"
#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Whether one side of `pair`, whose programs are equal as formulas, overflows where the other one does not
/// (W-overflow): at most one warning, at the op that overflows. Runs both programs twice in their own dtypes, on inputs
/// of 256 and 1024 times their usual size, where one holds an exponential or a constant of 1e15 and more or 1e-15 and
/// less; no run otherwise.
std::vector<Diagnostic> overflow_warnings(const Pair& pair, uint64_t seed, const sim::Workers& workers);

}  // namespace isoshard::verify
