#pragma once

#include <chrono>
#include <vector>

#include "verify/restrict.h"
#include "verify/ring_stage.h"

namespace isoshard::verify {

using RungClock = std::chrono::steady_clock;

/// Which outputs a rung was asked about.
struct AskedOutputs {
  std::vector<size_t> outputs;  ///< of the sharded program, per output of the pair that was compared
  std::vector<bool> wanted;     ///< false for an update that a wanted one reads in the next step

  explicit AskedOutputs(const Restricted& part) : outputs(part.outputs), wanted(part.wanted) {}
  /// All of them.
  explicit AskedOutputs(const Pair& pair);
};

/// What a rung said since `begin`.
RungRecord note_rung(const AskedOutputs& asked, const RingOutcome& now, RungClock::time_point begin);

}  // namespace isoshard::verify
