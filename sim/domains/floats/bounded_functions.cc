// Functions of numbers with error bounds (docs/spec/float_bounds.md, "Rounding bounds"). A function of slope at most 1
// passes the error on; a monotone one is evaluated at both ends of the interval, and a power at its four corners; whole
// powers of negative bases use the mean value theorem. Each function adds its own error, of 2 ulp, with room. Where the
// interval touches a pole or a jump the error is infinite, which says nothing instead of something wrong. Cost: up to
// five evaluations per element.
#include <algorithm>
#include <cmath>

#include "core/ir/scalar/arctangent.h"
#include "core/ir/scalar/erf_inv.h"
#include "core/ir/scalar/power.h"
#include "core/ir/scalar/trigonometric.h"
#include "sim/domains/floats/bound.h"

namespace isoshard::sim {
namespace {

using scalar::magnitude;

/// What a function within 2 ulp adds to the error.
double own_error(double result) {
  return magnitude(result) < 0x1p-1000 ? 8 * kSmallest : 4 * kUnit * magnitude(result);
}

bool is_whole_number(double x) { return x == scalar::floor(x); }

/// 0^n of an exact 0, n != 0: a 0 or a pole, of its sign where n is odd.
Bounded power_of_zero(Bounded zero, double n) {
  const bool odd = is_whole_number(n) && !is_whole_number(n / 2);
  const double value = scalar::power(zero.value, n);
  if (!odd || !is_either_zero(zero)) return {value, 0};
  return {value, n > 0 ? kEitherZero : kInfinity};
}

/// x^n over an interval that may hold negative numbers: |n|·max|x|^(n-1) times its width.
Bounded integer_power(Bounded x, double n) {
  const double value = scalar::power(x.value, n);
  if (x.error == 0) return checked(value, own_error(value));
  const double far = n > 0 ? magnitude(x.value) + x.error : magnitude(x.value) - x.error;
  if (!(far > 0)) return {value, kInfinity};
  return checked(value, 2 * magnitude(n) * scalar::power(far, n - 1) * x.error + own_error(value));
}

/// Of a step function, which rounds all of the interval to one number or says nothing; which zero that is may be open.
template <class Round>
Bounded step_of(Bounded x, const Round& round) {
  if (is_undefined(x)) return kUndefined;
  if (exact_zero(x)) return x;
  const Interval ends = interval_of(x);
  const double value = round(x.value), low = round(ends.low), high = round(ends.high);
  if (!(x.error < kInfinity) || low != high) return {value, kInfinity};
  return {value, std::signbit(low) == std::signbit(high) ? 0 : kEitherZero};
}

}  // namespace

Bounded sine_of(Bounded x) {
  if (is_undefined(x) || is_infinite(x)) return kUndefined;
  const double value = scalar::sine(x.value);
  if (exact_zero(x)) return x;
  return checked(value, x.error + own_error(value));
}

Bounded cosine_of(Bounded x) {
  if (is_undefined(x) || is_infinite(x)) return kUndefined;
  const double value = scalar::cosine(x.value);
  if (exact_zero(x)) return {1, 0};
  return checked(value, x.error + own_error(value));
}

Bounded erf_inv_of(Bounded x) {
  if (is_undefined(x)) return kUndefined;
  if (exact_zero(x)) return x;
  const Interval ends = interval_of(x);
  const double value = scalar::erf_inv(x.value), low = scalar::erf_inv(ends.low), high = scalar::erf_inv(ends.high);
  if (!(ends.low > -1 && ends.high < 1)) return {value, kInfinity};
  const double size = std::max({magnitude(low), magnitude(value), magnitude(high)});
  return checked(value, std::max(magnitude(value - low), magnitude(high - value)) + 3 * own_error(size));
}

Bounded floor_of(Bounded x) {
  if (is_undefined(x)) return kUndefined;
  if (exact_zero(x)) return x;
  const Interval ends = interval_of(x);
  const double value = scalar::floor(x.value);
  return {value, x.error < kInfinity && scalar::floor(ends.low) == scalar::floor(ends.high) ? 0 : kInfinity};
}

Bounded round_nearest_even_of(Bounded x) {
  return step_of(x, [](double a) { return scalar::round_nearest_even(a); });
}
Bounded round_nearest_afz_of(Bounded x) {
  return step_of(x, [](double a) { return scalar::round_nearest_afz(a); });
}

/// The angle moves by no more than the distance over the least radius; on the axis behind the origin it jumps.
Bounded atan2_of(Bounded y, Bounded x) {
  if (is_undefined(y) || is_undefined(x)) return kUndefined;
  const double value = scalar::atan2(y.value, x.value);
  const bool in_front = x.value > 0 && has_sign(x);
  if (exact_zero(y) && in_front && magnitude(x.value) < kInfinity) return {value, y.error};
  const bool behind = x.value < 0 && has_sign(x) && magnitude(x.value) < kInfinity;
  if (exact_zero(y) && !is_either_zero(y) && behind) return checked(value, 3 * own_error(value));  // pi or -pi
  if ((!has_sign(y) && !in_front) || !(y.error < kInfinity) || !(x.error < kInfinity)) return {value, kInfinity};
  if (!(magnitude(y.value) < kInfinity) || !(magnitude(x.value) < kInfinity)) return {value, kInfinity};
  const double up = std::max(magnitude(y.value) - y.error, 0.0), across = std::max(magnitude(x.value) - x.error, 0.0);
  const double radius = std::max(up, across);
  const double moved = (y.error + x.error) / (radius * (1 - 4 * kUnit));
  return checked(value, moved + 3 * own_error(value));
}

Bounded power_of(Bounded x, Bounded y) {
  const Interval bases = interval_of(x), exponents = interval_of(y);
  if (y.error == 0 && magnitude(y.value) < kInfinity) {
    if (y.value == 0) return {1, 0};
    if (is_undefined(x)) return kUndefined;
    if (exact_zero(x)) return power_of_zero(x, y.value);
    if (is_whole_number(y.value)) return integer_power(x, y.value);
    if (x.value < 0 && has_sign(x) && !is_infinite(x)) return kUndefined;
  }
  if (is_undefined(y) && x.error == 0 && x.value != 1) return kUndefined;
  const double value = scalar::power(x.value, y.value);
  if (!(bases.low > 0) || !(y.error < kInfinity)) return {value, kInfinity};
  double spread = 0, size = magnitude(value);
  for (const double base : {bases.low, bases.high}) {
    for (const double exponent : {exponents.low, exponents.high}) {
      const double corner = scalar::power(base, exponent);
      spread = std::max(spread, magnitude(corner - value));
      size = std::max(size, corner);
    }
  }
  return checked(value, spread + 2 * own_error(size));
}

Bounded remainder_of(Bounded x, Bounded y) {
  const double value = scalar::remainder(x.value, y.value);
  if (exact_zero(y) || is_undefined(x) || is_undefined(y) || is_infinite(x)) return kUndefined;
  if (exact_zero(x) && value == 0) return x;
  if (x.error == 0 && y.error == 0) return {value, magnitude(value) < kInfinity ? 0 : kInfinity};
  const double smallest = magnitude(y.value) - y.error, quotient = magnitude(x.value / y.value);
  if (!(magnitude(y.value) > 2 * y.error) || !(x.error < kInfinity) || !(quotient < 0x1p50)) return {value, kInfinity};
  const Interval quotients =
      interval_of(Bounded{quotient, (x.error + quotient * y.error) / smallest + 4 * kUnit * quotient});
  const double whole = scalar::floor(quotients.low);
  // x / y may also pass from one side of 0 to the other: then the result keeps its formula, x itself.
  if (whole != scalar::floor(quotients.high) && !(quotients.low < 0 && quotients.high < 1)) return {value, kInfinity};
  return checked(value, x.error + std::max(whole, 0.0) * y.error + rounding(value));
}

}  // namespace isoshard::sim
