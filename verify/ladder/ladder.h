#pragma once

#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// Climbs the rungs A, B, E and Eh as far as the programs contain something that a rung adds, until all outputs
/// are equal (docs/soundness.md, "The climb"): an output that is equal on one rung is equal. `options`
/// become those of the rung whose values the outcome speaks of, for a diagnosis.
RingOutcome climb(const Pair& pair, RingOptions& options);

}  // namespace isoshard::verify
