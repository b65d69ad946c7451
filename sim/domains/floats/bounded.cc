// f64 with a running error bound per element (docs/spec/float_bounds.md): forward error analysis as in N. Higham,
// "Accuracy and Stability of Numerical Algorithms", chapters 2 and 3, done at run time. Each op adds what its operands'
// errors become and what its own rounding adds, and the bound is raised by a few units so that the bound's own
// roundings do not matter. Monotone functions are evaluated at both ends of the argument's interval; others have bounds
// of their own (bounded_functions.cc). Whole numbers whose results stay within 2^53 are exact, so equal sums are seen
// to be equal. What is not a number has no error only where the cause is exact. Cost: three evaluations for a monotone
// function, and for dots a product of twice the depth beside the plain one (kernels/gemm_bound.cc).
#include "sim/domains/floats/bounded.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/support/check.h"
#include "core/support/mix.h"
#include "sim/domains/floats/bound.h"
#include "sim/integers/integer_ops.h"
#include "sim/kernels/gemm.h"
#include "sim/value/typed_bytes.h"

namespace isoshard::sim {
namespace {

using scalar::canonical;
using scalar::magnitude;

constexpr double kMostWhole = 0x1p53;

/// A whole number, exactly, such that results up to kMostWhole are exact, too.
bool is_whole(Bounded x) { return x.error == 0 && magnitude(x.value) <= kMostWhole && std::trunc(x.value) == x.value; }

/// x + y, also x - y for a negated y. Adding 0 does not round, and sums that underflow are exact.
Bounded sum_of(Bounded x, Bounded y) {
  const double value = x.value + y.value;
  if (is_undefined(x) || is_undefined(y)) return kUndefined;
  if (is_infinite(x) || is_infinite(y)) {
    if (is_infinite(x) && is_infinite(y)) return {scalar::canonical(value), 0};
    const bool known = x.error < kInfinity && y.error < kInfinity;
    return {value, known ? 0 : kInfinity};
  }
  if (exact_zero(x)) return {value, y.error};
  if (exact_zero(y)) return {value, x.error};
  const bool whole = is_whole(x) && is_whole(y) && magnitude(value) <= kMostWhole;
  const bool exact = x.value == 0 || y.value == 0 || whole;
  return checked(value, x.error + y.error + (exact ? 0 : kUnit * magnitude(value)));
}

Bounded product_of(Bounded x, Bounded y) {
  if (is_undefined(x) || is_undefined(y)) return kUndefined;
  const double value = x.value * y.value;
  if (is_infinite(x) || is_infinite(y)) {
    if (exact_zero(x) || exact_zero(y)) return kUndefined;
    return {value, has_sign(x) && has_sign(y) ? 0 : kInfinity};
  }
  if (exact_zero(x) || exact_zero(y)) return {0, 0};
  if (is_whole(x) && is_whole(y) && magnitude(value) <= kMostWhole) return {value, 0};
  const double spread = magnitude(x.value) * y.error + magnitude(y.value) * x.error + x.error * y.error;
  return checked(value, spread + rounding(value));
}

/// Where the divisor or the dividend is an infinity, or the divisor 0.
Bounded quotient_at_end(Bounded x, Bounded y) {
  const double value = x.value / y.value;
  const bool undefined = (exact_zero(x) && exact_zero(y)) || (is_infinite(x) && is_infinite(y));
  if (undefined) return kUndefined;
  if (is_infinite(y)) return {value, x.error < kInfinity ? 0 : kInfinity};
  return {canonical(value), has_sign(x) && (has_sign(y) || exact_zero(y)) ? 0 : kInfinity};
}

Bounded quotient_of(Bounded x, Bounded y) {
  if (is_undefined(x) || is_undefined(y)) return kUndefined;
  if (is_infinite(x) || is_infinite(y) || exact_zero(y)) return quotient_at_end(x, y);
  const double value = x.value / y.value;
  const double smallest = magnitude(y.value) - y.error;
  // Twice the bound, so that the rounding of `smallest` does not matter.
  if (!has_sign(y)) return {canonical(value), kInfinity};
  if (exact_zero(x) && magnitude(y.value) < kInfinity) return {0, 0};
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

std::vector<int64_t> undefined_elements(int64_t n, const double* value, const double* error) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < n; ++i) {
    if (is_undefined(Bounded{value[i], error[i]})) result.push_back(i);
  }
  return result;
}

/// Element i of n.
void set(Bounded x, double* out, int64_t n, int64_t i) {
  out[i] = x.value;
  out[n + i] = x.error;
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

/// Of an infinity, or where the function has a pole or ends.
bool at_end(UnaryOp op, Bounded x) {
  if (is_infinite(x) || is_undefined(x)) return true;
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
  const bool exact_at_zero = op == UnaryOp::tanh || op == UnaryOp::sqrt;
  for (int64_t i = 0; i < n; ++i) {
    const bool exact = exact_at_zero && x[i] == 0 && x_error[i] == 0;
    out_error[i] = exact || at_end(op, Bounded{x[i], x_error[i]}) ? 0 : 1;
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
  const ConstantReading reading = constants_.of(constant, dtype);
  const double value = reading.to_double();
  if (value == -kInfinity) {
    const Bounded low{value, 0};
    std::memcpy(out, &low, sizeof low);
    return;
  }
  const double rounding = reading.is_double() ? 0 : 2 * kUnit * magnitude(value) + kSmallest;
  const Bounded element = checked(value, rounding);
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
    std::copy_n(value + n, n, result + n);
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
  for (const int64_t at : undefined_elements(m * k, left.value, left.error)) {
    for (int64_t j = 0; j < n; ++j) set(kUndefined, doubles(out), m * n, at / k * n + j);
  }
  for (const int64_t at : undefined_elements(k * n, right.value, right.error)) {
    for (int64_t i = 0; i < m; ++i) set(kUndefined, doubles(out), m * n, i * n + at % n);
  }
}

void BoundedDomain::sum(DType, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  const int64_t n = plan.input_size();
  reduce_sum_bound(best_isa(), plan, doubles(x), doubles(x) + n, doubles(out), doubles(out) + plan.output_size());
  const bool exact = largest_whole(n, doubles(x), doubles(x) + n) * static_cast<double>(n) <= kMostWhole;
  if (exact) std::fill_n(doubles(out) + plan.output_size(), plan.output_size(), 0.0);
  const std::vector<int64_t> undefined = undefined_elements(n, doubles(x), doubles(x) + n);
  if (undefined.empty()) return;
  std::vector<double> marks(static_cast<size_t>(2 * n), 0), counts(static_cast<size_t>(2 * plan.output_size()));
  for (const int64_t i : undefined) marks[static_cast<size_t>(i)] = 1;
  reduce_sum_bound(best_isa(), plan, marks.data(), marks.data() + n, counts.data(), counts.data() + plan.output_size());
  for (int64_t i = 0; i < plan.output_size(); ++i) {
    if (counts[static_cast<size_t>(i)] > 0) set(kUndefined, doubles(out), plan.output_size(), i);
  }
}

void BoundedDomain::accumulate(DType, int64_t n, std::byte* acc, const std::byte* x) const {
  double* sum = doubles(acc);
  const double* term = doubles(x);
  const bool exact = largest_whole(n, sum, sum + n) + largest_whole(n, term, term + n) <= kMostWhole;
  std::vector<int64_t> undefined = undefined_elements(n, sum, sum + n);
  const std::vector<int64_t> of_term = undefined_elements(n, term, term + n);
  undefined.insert(undefined.end(), of_term.begin(), of_term.end());
  accumulate_bound(best_isa(), sum, sum + n, term, term + n, n);
  if (exact) std::fill_n(sum + n, n, 0.0);
  for (const int64_t i : undefined) set(kUndefined, sum, n, i);
}

const Domain& bounded_domain() {
  static const BoundedDomain domain;
  return domain;
}

}  // namespace isoshard::sim
