#pragma once  // internal

#include <vector>

#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// Which float values both programs share, element by element.
struct Counterparts {
  /// Per value of each plan the number of its class, or -1. Values of one class are equal: those of the sharded program
  /// copies of one of the reference on all devices, or its blocks; terms of a sum never.
  std::vector<int> sharded, reference;
};

/// Runs the first step of both programs once more on `draw` and compares their values in the ring of `options`.
/// Plans without loops only. Empty vectors when the run fails.
Counterparts find_counterparts(const Pair& pair, const RingOptions& options, const Draw& draw);

}  // namespace isoshard::verify
