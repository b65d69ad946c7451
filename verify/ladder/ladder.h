#pragma once

#include <functional>
#include <vector>

#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// Which of the outputs that are `open`, and differ on all rungs so far, numbers tell apart already, whatever other
/// rungs say. `known` is what these rungs say of all outputs.
using Refute = std::function<std::vector<bool>(const std::vector<RingOutput>& known, const std::vector<bool>& open)>;

/// Asks the rungs A, B, E and Eh as far as the programs contain something that a rung adds, until all outputs
/// are equal (docs/soundness.md, "The ladder"): an output that is equal on one rung is equal. `options`
/// become those of the rung whose values the outcome speaks of, for a diagnosis. No long proof is looked for where
/// `refute` finds none possible.
RingOutcome run_ladder(const Pair& pair, RingOptions& options, const Refute& refute = {});

}  // namespace isoshard::verify
