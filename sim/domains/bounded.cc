#include "sim/domains/bounded.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/support/check.h"
#include "core/support/mix.h"
#include "sim/constants.h"
#include "sim/domains/bound.h"
#include "sim/integer_ops.h"
#include "sim/kernels/gemm.h"
#include "sim/typed_bytes.h"

namespace isoshard::sim {
namespace {

using scalar::canonical;
using scalar::magnitude;

/// -inf, as a mask: exact.
bool is_minus_infinity(Bounded x) { return x.value == -kInfinity && x.error == 0; }

constexpr double kMostWhole = 0x1p53;

/// A whole number, exactly, such that results up to kMostWhole are exact, too.
bool is_whole(Bounded x) { return x.error == 0 && magnitude(x.value) <= kMostWhole && std::trunc(x.value) == x.value; }

bool is_positive(Bounded x) { return x.value > 2 * x.error && x.value < kInfinity; }

/// x + y, also x - y for a negated y. Adding 0 does not round, and sums that underflow are exact.
Bounded sum_of(Bounded x, Bounded y) {
  const double value = x.value + y.value;
  if (value == -kInfinity && (is_minus_infinity(x) || is_minus_infinity(y)) && x.error < kInfinity &&
      y.error < kInfinity) {
    return {value, 0};
  }
  if (exact_zero(x)) return {value, y.error};
  if (exact_zero(y)) return {value, x.error};
  const bool whole = is_whole(x) && is_whole(y) && magnitude(value) <= kMostWhole;
  const bool exact = x.value == 0 || y.value == 0 || whole;
  return checked(value, x.error + y.error + (exact ? 0 : kUnit * magnitude(value)));
}

Bounded product_of(Bounded x, Bounded y) {
  if (exact_zero(x) || exact_zero(y)) return {0, 0};
  const double value = x.value * y.value;
  if ((is_minus_infinity(x) && is_positive(y)) || (is_minus_infinity(y) && is_positive(x))) return {value, 0};
  if (is_whole(x) && is_whole(y) && magnitude(value) <= kMostWhole) return {value, 0};
  const double spread = magnitude(x.value) * y.error + magnitude(y.value) * x.error + x.error * y.error;
  return checked(value, spread + rounding(value));
}

Bounded quotient_of(Bounded x, Bounded y) {
  const double value = x.value / y.value;
  const double smallest = magnitude(y.value) - y.error;
  if (is_minus_infinity(x) && is_positive(y)) return {value, 0};
  // Twice the bound, so that the rounding of `smallest` does not matter.
  if (!(magnitude(y.value) > 2 * y.error)) return {canonical(value), kInfinity};
  if (exact_zero(x) && magnitude(y.value) < kInfinity) return {0, 0};
  if (is_whole(x) && is_whole(y) && std::trunc(value) == value && value * y.value == x.value) return {value, 0};
  return checked(value, (x.error + magnitude(value) * y.error) / smallest + rounding(value));
}

Bounded apply_binary(BinaryOp op, Bounded x, Bounded y) {
  switch (op) {
    case BinaryOp::add:
      return sum_of(x, y);
    case BinaryOp::subtract:
      return sum_of(x, Bounded{-y.value, magnitude(y.value) < kInfinity ? y.error : kInfinity});
    case BinaryOp::multiply:
      return product_of(x, y);
    case BinaryOp::divide:
      return quotient_of(x, y);
    case BinaryOp::power:
      return power_of(x, y);
    case BinaryOp::remainder:
      return remainder_of(x, y);
  }
  internal_error("op", "a binary op without a bound", __FILE__, __LINE__);
}

/// The largest magnitude of n numbers that are whole; infinity when some are not.
double largest_whole(int64_t n, const double* value, const double* error) {
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!is_whole(Bounded{value[i], error[i]})) return kInfinity;
    largest = std::max(largest, magnitude(value[i]));
  }
  return largest;
}

/// The bound of a function that is not monotone, or has no value beyond some argument.
Bounded (*elementwise_bound(UnaryOp op))(Bounded) {
  if (op == UnaryOp::sine) return sine_of;
  if (op == UnaryOp::cosine) return cosine_of;
  if (op == UnaryOp::erf_inv) return erf_inv_of;
  return op == UnaryOp::floor ? floor_of : nullptr;
}

/// Bounds of a monotone function over a stretch of at most kStretch elements.
constexpr int64_t kStretch = 256;

/// The function is within 1 ulp = 2u, at the ends as well as in the middle.
double spread_of(double low, double middle, double high) {
  const double difference = std::max(magnitude(middle - low), magnitude(high - middle));
  const double size = std::max({magnitude(low), magnitude(middle), magnitude(high)});
  return difference + (size < 0x1p-1000 ? 4 * kSmallest : 4 * kUnit * size);
}

void monotone(UnaryOp op, int64_t n, const double* x, const double* x_error, double* out, double* out_error) {
  double low[kStretch];
  double high[kStretch];
  for (int64_t i = 0; i < n; ++i) {
    const Interval ends = interval_of(Bounded{x[i], x_error[i]});
    low[i] = ends.low;
    high[i] = ends.high;
  }
  const bool exact_at_zero = op == UnaryOp::tanh || op == UnaryOp::sqrt;
  const bool exact_below = op == UnaryOp::exponential;
  for (int64_t i = 0; i < n; ++i) {
    const bool exact = (exact_at_zero && x[i] == 0) || (exact_below && x[i] == -kInfinity);
    out_error[i] = exact && x_error[i] == 0 ? 0 : 1;
  }
  sim::unary(best_isa(), op, x, out, n);
  sim::unary(best_isa(), op, low, low, n);
  sim::unary(best_isa(), op, high, high, n);
  for (int64_t i = 0; i < n; ++i) {
    if (out_error[i] == 0) continue;
    // An argument without a bound may not even be a number, so a bounded function is no help.
    out_error[i] = x_error[i] < kInfinity ? checked(out[i], spread_of(low[i], out[i], high[i])).error : kInfinity;
  }
}

}  // namespace

Storage BoundedDomain::storage(DType dtype) const {
  return dtype == DType::pred ? Storage{1, 1} : Storage{sizeof(double), 2};
}

void BoundedDomain::constant(const Rational& constant, DType dtype, std::byte* out) const {
  const ConstantReading reading = read_constant(constant, dtype);
  const double value = reading.to_double();
  if (value == -kInfinity) {
    const Bounded low{value, 0};
    std::memcpy(out, &low, sizeof low);
    return;
  }
  Bounded element = checked(value, reading.is_double() ? 0 : 2 * kUnit * magnitude(value) + kSmallest);
  std::memcpy(out, &element, sizeof element);
}

void BoundedDomain::from_doubles(DType, int64_t n, const double* x, std::byte* out) const {
  double* value = doubles(out);
  for (int64_t i = 0; i < n; ++i) {
    value[i] = canonical(x[i]);
    value[n + i] = std::isfinite(x[i]) ? 0 : kInfinity;
  }
}

void BoundedDomain::poison(DType, uint64_t seed, int64_t n, std::byte* out) const {
  double* value = doubles(out);
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t word = mix(seed + mix(static_cast<uint64_t>(i)));
    const double size = 0x1p12 * (1 + static_cast<double>(word >> 11) * 0x1p-53);
    value[i] = (word & 1) != 0 ? size : -size;
    value[n + i] = 0;
  }
}

void BoundedDomain::from_integers(DType, int64_t n, const int64_t* x, std::byte* out) const {
  constexpr int64_t kExact = int64_t{1} << 53;
  double* value = doubles(out);
  for (int64_t i = 0; i < n; ++i) {
    value[i] = static_cast<double>(x[i]);
    value[n + i] = -kExact <= x[i] && x[i] <= kExact ? 0 : rounding(value[i]) * kRaise;
  }
}

void BoundedDomain::to_integers(DType, int64_t n, const std::byte* x, DType to, int64_t* out) const {
  const double* value = doubles(x);
  for (int64_t i = 0; i < n; ++i) {
    const Interval ends = interval_of(Bounded{value[i], value[n + i]});
    out[i] = integer::truncated(value[i], to);
    const bool open = integer::truncated(ends.low, to) != integer::truncated(ends.high, to);
    if (open || !(value[n + i] < kInfinity)) note_tie();
  }
}

void BoundedDomain::convert(DType, DType, int64_t n, const std::byte* x, std::byte* out) const {
  std::copy_n(doubles(x), 2 * n, doubles(out));
}

Tensor BoundedDomain::to_tensor(const Value& value) const {
  if (value.type.dtype == DType::pred) {
    std::vector<uint8_t> values(value.plane<uint8_t>(0).begin(), value.plane<uint8_t>(0).end());
    for (uint8_t& p : values) p &= 1;  // bit 1 says that it is unsure
    return Tensor::from<uint8_t>(DType::pred, value.type.shape, values);
  }
  return Tensor::from(DType::f64, value.type.shape, value.plane<double>(0));
}

void BoundedDomain::unary(UnaryOp op, DType, int64_t n, const std::byte* x, std::byte* out) const {
  const double* value = doubles(x);
  double* result = doubles(out);
  if (op == UnaryOp::negate) {
    sim::unary(best_isa(), op, value, result, n);
    for (int64_t i = 0; i < n; ++i) result[n + i] = magnitude(result[i]) < kInfinity ? value[n + i] : kInfinity;
    return;
  }
  if (const auto bound = elementwise_bound(op)) {
    for (int64_t i = 0; i < n; ++i) {
      const Bounded y = bound(Bounded{value[i], value[n + i]});
      result[i] = y.value;
      result[n + i] = y.error;
    }
    return;
  }
  for (int64_t i = 0; i < n; i += kStretch) {
    monotone(op, std::min(kStretch, n - i), value + i, value + n + i, result + i, result + n + i);
  }
}

void BoundedDomain::binary(BinaryOp op, DType, int64_t n, const std::byte* x, const std::byte* y,
                           std::byte* out) const {
  const double* a = doubles(x);
  const double* b = doubles(y);
  double* c = doubles(out);
  for (int64_t i = 0; i < n; ++i) {
    const Bounded result = apply_binary(op, Bounded{a[i], a[n + i]}, Bounded{b[i], b[n + i]});
    c[i] = result.value;
    c[n + i] = result.error;
  }
}

void BoundedDomain::dot(DType, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                        std::byte* out) const {
  const BoundMatrix left{doubles(a), doubles(a) + m * k, k};
  const BoundMatrix right{doubles(b), doubles(b) + k * n, n};
  gemm_bound(best_isa(), m, n, k, left, right, BoundResult{doubles(out), doubles(out) + m * n, n});
  const double product = largest_whole(m * k, left.value, left.error) * largest_whole(k * n, right.value, right.error);
  if (product * static_cast<double>(k) <= kMostWhole) std::fill_n(doubles(out) + m * n, m * n, 0.0);
}

void BoundedDomain::sum(DType, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  const int64_t n = plan.input_size();
  reduce_sum_bound(best_isa(), plan, doubles(x), doubles(x) + n, doubles(out), doubles(out) + plan.output_size());
  const bool exact = largest_whole(n, doubles(x), doubles(x) + n) * static_cast<double>(n) <= kMostWhole;
  if (exact) std::fill_n(doubles(out) + plan.output_size(), plan.output_size(), 0.0);
}

void BoundedDomain::accumulate(DType, int64_t n, std::byte* acc, const std::byte* x) const {
  double* sum = doubles(acc);
  const double* term = doubles(x);
  const bool exact = largest_whole(n, sum, sum + n) + largest_whole(n, term, term + n) <= kMostWhole;
  accumulate_bound(best_isa(), sum, sum + n, term, term + n, n);
  if (exact) std::fill_n(sum + n, n, 0.0);
}

const Domain& bounded_domain() {
  static const BoundedDomain domain;
  return domain;
}

}  // namespace isoshard::sim
