#pragma once

#include "verify/answers/diagnosis.h"
#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// Runs both programs once more on the draw that differed, looks at every value of the first step that differs, and
/// says where they first differ.
///
/// `outcome` must have an output that is not equal. Empty when the run fails.
Diagnosis diagnose(const Pair& pair, const RingOptions& options, const RingOutcome& outcome);

}  // namespace isoshard::verify
