#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/domains/exact_ring.h"
#include "verify/compare/pair.h"
#include "verify/compare/steps.h"
#include "verify/watches/use_watch.h"

namespace isoshard::verify {

/// What outputs that are equal as formulas need besides that the reference has a value, in words.
struct Definedness {
  std::vector<std::string> rests_on;    ///< per output, that on more than a thin set of inputs; empty where nothing
  std::vector<std::string> conditions;  ///< what may fail on a thin set only: `%d != 0 (divide at FILE:LINE:COL)`
};

/// Both programs' partial uses, of a run that has ended.
struct PairUses {
  const UseWatch& sharded;
  const UseWatch& reference;
};

/// A ring like that of the run, and its inputs.
struct RingAgain {
  std::unique_ptr<sim::ExactRing> ring;
  DrawGlobal draw;
};

/// Where the sharded program has no value, has the reference none? (docs/spec/verdict.md, "Where a formula has no
/// value") Runs both once more in the ring of `again` where some use may fail on more than a thin set of inputs.
/// `seed`: of random inputs in f64.
Definedness judge_definedness(const Pair& pair, const PairUses& uses, const std::function<RingAgain()>& again,
                              uint64_t seed);

}  // namespace isoshard::verify
