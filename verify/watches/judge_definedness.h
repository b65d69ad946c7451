#pragma once

#include <cstdint>
#include <functional>

#include "verify/compare/pair.h"
#include "verify/watches/definedness.h"
#include "verify/watches/element_conditions.h"
#include "verify/watches/use_watch.h"

namespace isoshard::verify {

/// Both programs' partial uses, of a run that has ended.
struct PairUses {
  const UseWatch& sharded;
  const UseWatch& reference;
};

/// Where the sharded program has no value, has the reference none? (docs/spec/verdict.md, "Where a formula has no
/// value") Runs both once more in the ring of `again` where some use may fail on more than a thin set of inputs.
/// `seed`: of random inputs in f64.
Definedness judge_definedness(const Pair& pair, const PairUses& uses, const std::function<RingAgain()>& again,
                              uint64_t seed);

}  // namespace isoshard::verify
