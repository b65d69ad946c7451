// Elementwise ops on numbers with error bounds (docs/spec/float_bounds.md). Each op adds what its operands' errors
// become and what its own rounding adds. Monotone functions are evaluated at both ends of the argument's interval, a
// stretch of elements at a time so that the kernels vectorise; others have bounds of their own (bounded_functions.cc).
// Cost: three evaluations for a monotone function, a few operations beside those of the value for + - x and division.
#include "sim/domains/floats/bounded_elementwise.h"

#include <algorithm>

#include "core/support/check.h"
#include "sim/domains/floats/bound.h"

namespace isoshard::sim {
namespace {

using scalar::canonical;
using scalar::magnitude;

/// x + y, also x - y for a negated y. Adding 0 does not round, and sums that underflow are exact.
Bounded sum_of(Bounded x, Bounded y) {
  const double value = x.value + y.value;
  if (is_undefined(x) || is_undefined(y)) return kUndefined;
  if (is_infinite(x) || is_infinite(y)) {
    if (is_infinite(x) && is_infinite(y)) return {scalar::canonical(value), 0};
    const bool known = x.error < kInfinity && y.error < kInfinity;
    return {value, known ? 0 : kInfinity};
  }
  if (exact_zero(x)) return exact_zero(y) ? sum_of_zeros(x, y) : Bounded{value, y.error};
  if (exact_zero(y)) return {value, x.error};
  const bool whole = is_whole(x) && is_whole(y) && magnitude(value) <= kMostWhole;
  const bool exact = x.value == 0 || y.value == 0 || whole;
  return checked(value, x.error + y.error + (exact ? 0 : kUnit * magnitude(value)));
}

/// Whether floats have the sign of x, be it a zero.
bool knows_sign(Bounded x) { return exact_zero(x) ? !is_either_zero(x) : has_sign(x); }

Bounded product_of(Bounded x, Bounded y) {
  if (is_undefined(x) || is_undefined(y)) return kUndefined;
  const double value = x.value * y.value;
  if (is_infinite(x) || is_infinite(y)) {
    if (exact_zero(x) || exact_zero(y)) return kUndefined;
    return {value, has_sign(x) && has_sign(y) ? 0 : kInfinity};
  }
  if (exact_zero(x) || exact_zero(y)) {
    if (!(x.error < kInfinity && y.error < kInfinity)) return {canonical(value), kInfinity};  // may be no number
    const double zero = std::signbit(x.value) == std::signbit(y.value) ? 0.0 : -0.0;
    return {zero, knows_sign(x) && knows_sign(y) ? 0 : kEitherZero};
  }
  if (is_whole(x) && is_whole(y) && magnitude(value) <= kMostWhole) return {value, 0};
  const double spread = magnitude(x.value) * y.error + magnitude(y.value) * x.error + x.error * y.error;
  return checked(value, spread + rounding(value));
}

/// Where the divisor or the dividend is an infinity, or the divisor 0.
Bounded quotient_at_end(Bounded x, Bounded y) {
  const double value = x.value / y.value;
  const bool undefined = (exact_zero(x) && exact_zero(y)) || (is_infinite(x) && is_infinite(y));
  if (undefined) return kUndefined;
  const bool known = knows_sign(x) && knows_sign(y);
  if (is_infinite(y)) return {value, !(x.error < kInfinity) ? kInfinity : known ? 0 : kEitherZero};
  return {canonical(value), known ? 0 : kInfinity};
}

Bounded quotient_of(Bounded x, Bounded y) {
  if (is_undefined(x) || is_undefined(y)) return kUndefined;
  if (is_infinite(x) || is_infinite(y) || exact_zero(y)) return quotient_at_end(x, y);
  const double value = x.value / y.value;
  const double smallest = magnitude(y.value) - y.error;
  // Twice the bound, so that the rounding of `smallest` does not matter.
  if (!has_sign(y)) return {canonical(value), kInfinity};
  if (exact_zero(x) && magnitude(y.value) < kInfinity) return {value, x.error};
  if (is_whole(x) && is_whole(y) && std::trunc(value) == value && value * y.value == x.value) return {value, 0};
  return checked(value, (x.error + magnitude(value) * y.error) / smallest + rounding(value));
}

Bounded apply_binary(BinaryOp op, Bounded x, Bounded y) {
  switch (op) {
    case BinaryOp::add:
      return sum_of(x, y);
    case BinaryOp::subtract:
      return sum_of(x, Bounded{-y.value, y.error});
    case BinaryOp::multiply:
      return product_of(x, y);
    case BinaryOp::divide:
      return quotient_of(x, y);
    case BinaryOp::power:
      return power_of(x, y);
    case BinaryOp::remainder:
      return remainder_of(x, y);
    case BinaryOp::atan2:
      return atan2_of(x, y);
  }
  internal_error("op", "a binary op without a bound", __FILE__, __LINE__);
}

/// The bound of a function that is not monotone, or has no value beyond some argument.
Bounded (*elementwise_bound(UnaryOp op))(Bounded) {
  if (op == UnaryOp::sine) return sine_of;
  if (op == UnaryOp::cosine) return cosine_of;
  if (op == UnaryOp::erf_inv) return erf_inv_of;
  if (op == UnaryOp::round_nearest_even) return round_nearest_even_of;
  if (op == UnaryOp::round_nearest_afz) return round_nearest_afz_of;
  return op == UnaryOp::floor ? floor_of : nullptr;
}

/// Bounds of a monotone function over a stretch of at most kStretch elements.
constexpr int64_t kStretch = 256;

/// Functions that are within 4 ulp; the others are within 1.
bool is_coarse(UnaryOp op) {
  return op == UnaryOp::exponential_minus_one || op == UnaryOp::log_plus_one || op == UnaryOp::cbrt ||
         op == UnaryOp::erf || op == UnaryOp::erfc;
}

/// The function is within 1 ulp = 2u, or 4 of them, at the ends as well as in the middle.
double spread_of(UnaryOp op, double low, double middle, double high) {
  const double difference = std::max(magnitude(middle - low), magnitude(high - middle));
  const double size = std::max({magnitude(low), magnitude(middle), magnitude(high)});
  const double own = size < 0x1p-1000 ? 4 * kSmallest : 4 * kUnit * size;
  return difference + (is_coarse(op) ? 4 * own : own);
}

/// Of an infinity, or where the function has a pole or ends.
bool at_end(UnaryOp op, Bounded x) {
  if (is_infinite(x) || is_undefined(x)) return true;
  if (op == UnaryOp::rsqrt && is_either_zero(x)) return false;
  if (op == UnaryOp::log_plus_one) return x.error == 0 ? x.value <= -1 : interval_of(x).high < -1;
  const bool logarithm = op == UnaryOp::log, root = op == UnaryOp::sqrt || op == UnaryOp::rsqrt;
  if (!logarithm && !root) return false;
  const bool pole = exact_zero(x) && !(op == UnaryOp::sqrt);
  return pole || (x.value < 0 && has_sign(x) && magnitude(x.value) < kInfinity);
}

void monotone(UnaryOp op, int64_t n, const double* x, const double* x_error, double* out, double* out_error) {
  double low[kStretch];
  double high[kStretch];
  for (int64_t i = 0; i < n; ++i) {
    const Interval ends = interval_of(Bounded{x[i], x_error[i]});
    low[i] = ends.low;
    high[i] = ends.high;
  }
  const bool exact_at_zero = op == UnaryOp::tanh || op == UnaryOp::sqrt || (is_coarse(op) && op != UnaryOp::erfc);
  for (int64_t i = 0; i < n; ++i) {
    const bool exact = exact_at_zero && x[i] == 0 && x_error[i] == 0;
    out_error[i] = exact ? x_error[i] : at_end(op, Bounded{x[i], x_error[i]}) ? 0 : 1;
  }
  sim::unary(best_isa(), op, x, out, n);
  sim::unary(best_isa(), op, low, low, n);
  sim::unary(best_isa(), op, high, high, n);
  for (int64_t i = 0; i < n; ++i) {
    if (out_error[i] == 0) continue;
    // An argument without a bound may not even be a number, so a bounded function is no help.
    out_error[i] = x_error[i] < kInfinity ? checked(out[i], spread_of(op, low[i], out[i], high[i])).error : kInfinity;
  }
}

}  // namespace

void unary_bound(UnaryOp op, int64_t n, const double* x, double* out) {
  if (op == UnaryOp::negate) {
    sim::unary(best_isa(), op, x, out, n);
    std::copy_n(x + n, n, out + n);
    return;
  }
  if (const auto bound = elementwise_bound(op)) {
    for (int64_t i = 0; i < n; ++i) {
      const Bounded y = bound(Bounded{x[i], x[n + i]});
      out[i] = y.value;
      out[n + i] = y.error;
    }
    return;
  }
  for (int64_t i = 0; i < n; i += kStretch) {
    monotone(op, std::min(kStretch, n - i), x + i, x + n + i, out + i, out + n + i);
  }
}

void binary_bound(BinaryOp op, int64_t n, const double* x, const double* y, double* out) {
  for (int64_t i = 0; i < n; ++i) {
    const Bounded result = apply_binary(op, Bounded{x[i], x[n + i]}, Bounded{y[i], y[n + i]});
    out[i] = result.value;
    out[n + i] = result.error;
  }
}

}  // namespace isoshard::sim
