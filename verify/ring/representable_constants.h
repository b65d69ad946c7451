#pragma once  // internal

#include <gmpxx.h>

#include <vector>

#include "verify/answers/reason.h"
#include "verify/ring/ring_options.h"

namespace isoshard::verify {

/// That the ring of `options` has no faithful image of some constant, or global of exact value: of the first one. Rung
/// E has -inf, and sees at run time what it does not represent.
Reason unfaithful_number(const Pair& pair, const RingOptions& options);

/// What the constants are made of, numerators and denominators: no prime of a ring may divide them.
std::vector<mpz_class> units_of(const Pair& pair, const RingOptions& options);

}  // namespace isoshard::verify
