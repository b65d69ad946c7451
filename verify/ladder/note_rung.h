#pragma once  // internal

#include <chrono>

#include "verify/compare/restrict_outputs.h"
#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

using RungClock = std::chrono::steady_clock;

/// What a rung of these options, asked about `asked`, said since `begin`.
RungRecord note_rung(const AskedOutputs& asked, const RingOptions& options, const RingOutcome& now,
                     RungClock::time_point begin);

}  // namespace isoshard::verify
