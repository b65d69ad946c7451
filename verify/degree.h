#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// One entry of a value as a quotient of polynomials in the inputs and the results of opaque functions: upper bounds of
/// its degrees (equivalence.md 2). Counts are doubles: exact below 2^53, and they saturate at infinity.
struct Degree {
  double numerator = 0;
  double denominator = 0;
  /// Evaluations of opaque functions (inverses included) that one entry depends on.
  double evaluations = 0;
  /// Values with the same id have the same denominator, entry by entry; 0 when there is none.
  uint64_t denominator_id = 0;
  /// Dimensions (bits) along which the value and its denominator differ.
  uint64_t dims = 0;
  uint64_t denominator_dims = 0;
};

/// The degrees of the outputs of a Plan, and of what its opaque functions are applied to.
struct DegreeCounts {
  std::vector<Degree> outputs;  ///< per output of the Plan
  double opaque_numerator = 0;
  double opaque_denominator = 0;
  double evaluations = 0;  ///< of opaque functions by all devices together
  double recognised = 0;   ///< those whose arguments would be taken for numbers if all lanes agreed by chance
};

/// Over `steps` steps: an updated global brings its degree into the next one.
DegreeCounts count_degrees(const Plan& plan, int64_t steps = 1);

/// The degree of the numerator of the difference of two entries.
double difference_degree(const Degree& a, const Degree& b);

}  // namespace isoshard::verify
