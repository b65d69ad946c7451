#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

struct CutOutcome {
  std::optional<RingOutcome> ring;  ///< equal in all wanted outputs, within the error bound; or nothing
  std::string reason;               ///< why not; empty where there was nothing to cut
};

/// Compares on rung E once more with opaque identities between exponentials, which are then nested as deeply as a tower
/// of three primes tells apart: where they are nested too deeply, the laws of the ring do not reach, and where there
/// are many, their degrees are too high. `now` is the outcome without.
CutOutcome compare_with_cuts(const Pair& pair, const RingOptions& options, const RingOutcome& now,
                             const std::vector<bool>& wanted);

}  // namespace isoshard::verify
