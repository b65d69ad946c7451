#pragma once

#include <vector>

#include "verify/pair.h"

namespace isoshard::verify {

/// A pair with some of the outputs of another one, and only what these need (core/plan/keep_outputs.h).
struct Restricted {
  Pair pair;
  std::vector<size_t> outputs;  ///< per output of pair.sharded: which one of the whole pair it is
  /// Per output of pair.sharded: false for an update that a wanted output reads in the next step.
  std::vector<bool> wanted;
};

/// `pair` with the outputs `wanted` (per output of its sharded program) and, over several steps, the updates that they
/// read. Inputs are drawn as for `pair`.
Restricted restrict_to(const Pair& pair, const std::vector<bool>& wanted);

}  // namespace isoshard::verify
