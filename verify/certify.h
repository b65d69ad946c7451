#pragma once

#include <string>
#include <vector>

#include "verify/ring_stage.h"

namespace isoshard::verify {

/// Whether equal values on rungs C and D mean equal formulas (equivalence.md 4).
struct Certificate {
  std::string reason;     ///< why not; empty when they do
  bool too_deep = false;  ///< exponentials are nested too deeply; opaque identities may help
  Location location;
  size_t perturbed = 0;             ///< exp arguments, results of collectives and globals that were perturbed
  std::vector<std::string> silent;  ///< of them those that move no output, neither in the ring nor in f64: gauges
};

/// (a) Exponentials are nested at most twice on the worst path between opaque functions; (b) a random value added to an
/// element of an exp argument, collective result or global moves some output in the ring, or none in f64 either: tried
/// for up to 8 random elements of each, one after another, and fewer where there are many such values or the programs
/// are large. Looks at the outputs that `outcome` found equal, among those `wanted` (per output of the sharded
/// program).
Certificate certify(const Pair& pair, const RingOptions& options, const RingOutcome& outcome,
                    const std::vector<bool>& wanted);

}  // namespace isoshard::verify
