#pragma once

#include <cstddef>

#include "verify/bounds/error_bound.h"
#include "verify/ring/ring_options.h"

namespace isoshard::verify {

/// What the error bound of compare_in_ring depends on; `factors` of logarithms, on rung E.
BoundTerms bound_terms(const Pair& pair, const RingOptions& options, double factors = 1);

/// How large the elements of a ring are, and what its answer is worth.
struct RingSize {
  size_t lanes = 0;
  sim::PrimeSize primes = sim::PrimeSize::small;  ///< of rung E
  double log2_error = 0;
};

/// The fewest lanes that reach the error that `options` ask for. On rung E of small primes where few do, of large ones
/// otherwise; as few as may be where nothing reaches it.
RingSize choose_size(const Pair& pair, const RingOptions& options, double factors = 1);

}  // namespace isoshard::verify
