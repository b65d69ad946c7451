#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace isoshard::verify {

/// One entry of a value as a quotient of polynomials in the inputs and the results of opaque functions: upper bounds of
/// its degrees (docs/spec/error_bound.md, "Degrees"). Counts are doubles: exact below 2^53, and they saturate at
/// infinity.
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
  /// Rung E: the value may be a logarithm (a pair) of quotients of at most this degree; 0 when it is none.
  double log_degree = 0;
  double exponentials = 0;  ///< rung E: evaluations of exp that one entry depends on, back to opaque functions
};

/// What rung E counts: each exp is a variable of its own, and the degree of its argument counts apart.
struct ExpDegrees {
  double factors = 1;            ///< of the logarithms that are compared, hashed or exponentiated
  bool by_exponentials = false;  ///< so are sine, cosine and powers, and small integers are recognised
};

/// The degrees of the outputs of a Plan, and of what its opaque functions are applied to.
struct DegreeCounts {
  std::vector<Degree> outputs;  ///< per output of the Plan
  double opaque_numerator = 0;
  double opaque_denominator = 0;
  double opaque_exponentials = 0;           ///< of one argument
  double evaluations = 0;                   ///< of opaque functions by all devices together
  std::optional<ExpDegrees> exponential{};  ///< of rung E
  double exponent_numerator = 0;            ///< of arguments of exp
  double exponent_denominator = 0;
  double exponentials = 0;  ///< evaluations of exp by all devices together
  bool opaque_reciprocals = false;
  double recognised = 0;  ///< those whose arguments would be taken for numbers if all lanes agreed by chance
};

}  // namespace isoshard::verify
