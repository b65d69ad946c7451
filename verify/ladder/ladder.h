#pragma once

#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// Asks the rungs A, B, E and Eh as far as the programs contain something that a rung adds, until all outputs
/// are equal (docs/soundness.md, "The ladder"): an output that is equal on one rung is equal. `options`
/// become those of the rung whose values the outcome speaks of, for a diagnosis.
RingOutcome run_ladder(const Pair& pair, RingOptions& options);

}  // namespace isoshard::verify
