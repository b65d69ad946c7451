#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/certify.h"

namespace isoshard::verify {

/// What a rung says with opaque identities between nested exponentials (verify/cuts.h).
struct CutOutcome {
  std::optional<RingOutcome> ring;  ///< equal and certified for all wanted outputs; or nothing
  std::string reason;               ///< why there is none; empty where no exponentials are nested
};

/// Compares once more with opaque identities, where `now`, equal in the `wanted` outputs, cannot be certified because
/// exponentials are nested too deeply or the degree is too high: first with exponentials nested twice between them,
/// then without any nesting.
CutOutcome certify_with_cuts(const Pair& pair, const RingOptions& options, const RingOutcome& now,
                             const std::vector<bool>& wanted);

}  // namespace isoshard::verify
