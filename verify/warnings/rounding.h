#pragma once

#include <cstdint>
#include <vector>

#include "core/support/diagnostic.h"
#include "sim/engine/workers.h"
#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Whether rounding decides what the programs of `pair`, which are equal as formulas, make of ordinary inputs
/// (W-rounding): at most one warning, at the first comparison, floor or conversion to integers of numbers that are the
/// same, or whole, but for rounding. Runs both programs in their own dtypes on three inputs where one of them has such
/// an op; no run otherwise.
std::vector<Diagnostic> rounding_warnings(const Pair& pair, uint64_t seed, const sim::Workers& workers);

}  // namespace isoshard::verify
