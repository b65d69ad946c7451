#pragma once  // internal

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/ir/scalar/format.h"
#include "sim/kernels/rounding.h"

/// Numbers with a bound of their error, one at a time (sim/domains/floats/bounded.h).
namespace isoshard::sim {

inline constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
/// Outweighs the roundings of a bound's own formula, at most eight additions and products of non-negative numbers.
inline constexpr double kRaise = 1 + 16 * kUnit;

/// A value with its bound.
struct Bounded {
  double value;
  double error;
};

struct Interval {
  double low;
  double high;
};

/// A zero that is exact: its sign is that of floats (docs/spec/float_bounds.md, "Zeros"), which the infinity has that a
/// division makes of it, but where it is unsure.
inline bool exact_zero(Bounded x) { return x.value == 0 && x.error == 0; }
/// An error of -0.0 says that floats may have a zero of either sign.
inline constexpr double kEitherZero = -0.0;
inline bool is_either_zero(Bounded x) { return exact_zero(x) && std::signbit(x.error); }
/// The sum of two exact zeros, which is +0 where one of them is.
inline Bounded sum_of_zeros(Bounded x, Bounded y) {
  const auto is_plus = [](Bounded z) { return !is_either_zero(z) && !std::signbit(z.value); };
  if (is_plus(x) || is_plus(y)) return {0, 0};
  return {x.value + y.value, is_either_zero(x) || is_either_zero(y) ? kEitherZero : 0};
}

// Without an error although it is not finite: so is the value of the formula, because of a division by exactly 0, a
// root or logarithm of what is negative beyond its error, or of -inf or nan as written. What only overflows has no
// bound.
inline bool is_infinite(Bounded x) { return scalar::magnitude(x.value) == kInfinity && x.error == 0; }
inline bool is_undefined(Bounded x) { return x.value != x.value && x.error == 0; }
inline constexpr Bounded kUndefined{std::numeric_limits<double>::quiet_NaN(), 0};
/// Not 0, whatever its error.
/// What is infinite becomes undefined, as in a dtype without inf.
inline void drop_infinities(int64_t n, double* values) {
  for (int64_t i = 0; i < n; ++i) {
    if (scalar::magnitude(values[i]) == kInfinity) values[i] = kUndefined.value;
  }
}

inline bool has_sign(Bounded x) { return scalar::magnitude(x.value) > 2 * x.error; }

inline constexpr double kMostWhole = 0x1p53;

/// A whole number, exactly, such that results up to kMostWhole are exact, too.
inline bool is_whole(Bounded x) {
  return x.error == 0 && scalar::magnitude(x.value) <= kMostWhole && std::trunc(x.value) == x.value;
}

/// Half a unit in the last place of a result.
inline double rounding(double result) {
  return scalar::magnitude(result) < 0x1p-1022 ? kSmallest : kUnit * scalar::magnitude(result);
}

/// The value with that bound raised; infinite where either is not finite.
inline Bounded checked(double value, double error) {
  const double raised = error * kRaise;
  return {scalar::canonical(value), scalar::magnitude(value) < kInfinity && raised < kInfinity ? raised : kInfinity};
}

/// Whether x and y compare as their true values do.
inline bool apart(Bounded x, Bounded y) {
  constexpr double kDifferenceRaise = 1 + 8 * 0x1p-53;  // outweighs the roundings of a difference and a sum
  if (x.error == 0 && y.error == 0) return true;
  return scalar::magnitude(x.value - y.value) > (x.error + y.error) * kDifferenceRaise;
}

/// The bit of a predicate that says that the true value may be the other one.
inline constexpr uint8_t kUnsure = 2;

/// Where the true value lies; outwards by the rounding of its ends.
inline Interval interval_of(Bounded x) {
  if (x.error == 0) return {x.value, x.value};
  const double below = x.value - x.error, above = x.value + x.error;
  return {below - (2 * kUnit * scalar::magnitude(below) + kSmallest),
          above + (2 * kUnit * scalar::magnitude(above) + kSmallest)};
}

/// |sine'| and |cosine'| are at most 1.
Bounded sine_of(Bounded x);
Bounded cosine_of(Bounded x);
/// Without a bound where the interval reaches 1 or -1.
Bounded erf_inv_of(Bounded x);
Bounded round_nearest_even_of(Bounded x);
Bounded round_nearest_afz_of(Bounded x);
Bounded atan2_of(Bounded y, Bounded x);
/// Exact, or without a bound where the interval reaches the next integer.
Bounded floor_of(Bounded x);
/// x^y: for x > 0 the extremes are at the corners of both intervals; other x need an exact integer y, and no 0 in the
/// interval where y < 0.
Bounded power_of(Bounded x, Bounded y);
/// x - y·n, n = trunc(x / y); without a bound where the quotient's interval reaches the next integer.
Bounded remainder_of(Bounded x, Bounded y);

}  // namespace isoshard::sim
