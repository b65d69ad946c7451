#pragma once

#include <vector>

#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Which outputs of a pair are asked about.
struct AskedOutputs {
  std::vector<size_t> outputs;  ///< per output of the pair that is compared: which one of the whole pair it is
  std::vector<bool> wanted;     ///< false for an update that a wanted output reads in the next step
};
/// All of them.
AskedOutputs all_outputs(const Pair& pair);

/// A pair with some of the outputs of another one, and only what these need (core/plan/passes/keep_outputs.h).
struct Restricted : AskedOutputs {
  Pair pair;
};

/// `pair` with the outputs `wanted` (per output of its sharded program) and, over several steps, the updates that they
/// read. Inputs are drawn as for `pair`.
Restricted restrict_to(const Pair& pair, const std::vector<bool>& wanted);

}  // namespace isoshard::verify
