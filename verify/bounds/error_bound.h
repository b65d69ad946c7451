#pragma once

#include <cstdint>

#include "verify/bounds/degree.h"
#include "verify/bounds/lane_choice.h"

namespace isoshard::verify {

/// What the probability of a wrong EQUAL depends on, both programs together (docs/spec/error_bound.md, "Bound").
struct BoundTerms {
  double degree = 0;              ///< D: of the difference of two output entries
  double opaque_degree = 0;       ///< Da: of the difference of two arguments of opaque functions
  double evaluations = 0;         ///< M: opaque evaluations in the cone of one output entry
  double log2_prime = 30.988684;  ///< of p, from below: the least of the lanes (sim::kLeastLanePrime)
  double exponentials =
      0;  ///< K: evaluations of exp in the cone of one output entry or of two opaque arguments (rung E)
  double exponent_degree = 0;  ///< Dq: of the difference of two of their arguments
  double recognised = 0;       ///< R: evaluations that take an argument for a number when all lanes agree
  double log2_known = 25.03;   ///< of how many numbers these know: fewer than p/63 on rungs A and B (ring_numbers.h)

  void multiply_degrees(double factor) {
    degree *= factor;
    opaque_degree *= factor;
    exponent_degree *= factor;
  }
};

/// Output i of `left` is compared with output partner[i] of `right`. On rung E log2_prime is for the caller to say.
BoundTerms bound_terms(const DegreeCounts& left, const DegreeCounts& right, const std::vector<size_t>& partner);

/// log2(2^a + 2^b)
double log2_sum(double a, double b);

/// log2 of (D/p)^t + C(M,2)·(Da/p)^t + R·N·(Da/p)^t, N numbers known to the ring, for t lanes of primes p, at most 0;
/// -infinity when nothing can go wrong. With exponentials p counts as p / ((K + 1)·Dq + 1) (docs/spec/verdict.md,
/// "Bound").
double log2_error(const BoundTerms& terms, size_t lanes);

/// The fewest lanes within `choice` whose error bound is at most the target; the most where none is.
size_t choose_lanes(const BoundTerms& terms, const LaneChoice& choice = {});

}  // namespace isoshard::verify
