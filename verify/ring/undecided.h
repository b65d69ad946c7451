#pragma once

#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// Where the ring first needed a decision that it does not have: runs the last draw of `outcome` again, in one thread.
/// Invalid when the draw decides everything.
Location find_undecided(const Pair& pair, const RingOptions& options, const RingOutcome& outcome);

}  // namespace isoshard::verify
