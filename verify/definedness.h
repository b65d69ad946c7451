#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/exact_ring.h"
#include "verify/pair.h"
#include "verify/steps.h"

namespace isoshard::verify {

/// What outputs that are equal as formulas need besides that the reference has a value, in words.
struct Definedness {
  std::vector<std::string> rests_on;    ///< per output, that on more than a thin set of inputs; empty where nothing
  std::vector<std::string> conditions;  ///< what may fail on a thin set only: `%d != 0 (divide at FILE:LINE:COL)`
};

/// Whether the sharded program applies some partial function to what no construction shows to be as needed.
bool may_be_undefined(const Pair& pair);

/// Runs both programs once more in `ring`, on inputs of `draw`, a ring's: where the sharded program has no value, has
/// the reference none? (docs/spec/verdict.md, "Where a formula has no value")
/// `seed`: of random inputs in f64.
Definedness judge_definedness(const Pair& pair, std::unique_ptr<sim::ExactRing> ring, const DrawGlobal& draw,
                              uint64_t seed);

}  // namespace isoshard::verify
