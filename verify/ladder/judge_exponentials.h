#pragma once  // internal

#include <vector>

#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// Whether sinusoids and powers as exponentials may decide what else is open, at a price that can be paid.
bool asks_by_exponentials(const Pair& pair);

/// Runs rung E or Eh on all outputs of `pair`, in towers as high as the programs need, and says which of the `wanted`
/// ones are equal formulas: the others have a doubt.
RingOutcome judge_exponentials(const Pair& pair, const RingOptions& options, const std::vector<bool>& wanted);

}  // namespace isoshard::verify
