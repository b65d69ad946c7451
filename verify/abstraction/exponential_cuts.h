#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// Both programs with opaque identities between their exponentials (docs/spec/opaque.md, "Opaque identities"), so that
/// few are nested. They are equal for every function in these places, so for the identity.
struct Cuts {
  std::optional<Pair> pair;         ///< without loops; nothing where they are too long for that
  std::vector<std::string> places;  ///< the values of the sharded program, `%h`
  std::string reason;               ///< why some exponentials stay nested too deeply
};

/// Between cuts exponentials are nested at most so deeply: what a tower of three primes can tell.
inline constexpr int kCutDepth = 2;

/// Looks for the fewest values with counterparts in the reference through which all exponentials nested more than
/// `depth` (1 or 2) deep depend on others, round after round: behind a cut the ring tells values apart again. Concerns
/// the outputs `wanted` (per output of the sharded program); looks at the inputs of `draw` in the ring of `options`.
Cuts place_cuts(const Pair& pair, const RingOptions& options, const Draw& draw, const std::vector<bool>& wanted,
                int depth);

}  // namespace isoshard::verify
