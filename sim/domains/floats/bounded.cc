// f64 with a running error bound per element (docs/spec/float_bounds.md): forward error analysis as in N. Higham,
// "Accuracy and Stability of Numerical Algorithms", chapters 2 and 3, done at run time. Each op adds what its operands'
// errors become and what its own rounding adds, and the bound is raised by a few units so that the bound's own
// roundings do not matter (bounded_elementwise.cc). Whole numbers whose results stay within 2^53 are exact, so equal
// sums are seen to be equal. What is not a number has no error only where the cause is exact.
// Two numbers that are further apart than their errors compare as the true ones do ("Comparisons"). Others give a
// predicate that is unsure: a byte whose bit 0 is its value, while bit 1 says that the true value may be the other one.
// It stays so through logic, unless the other operand decides, and what it selects has an infinite error. Where an
// integer depends on it the domain notes a tie, since integers have no bound. A maximum of close numbers is one of them
// and only gets the larger error. Cost: that of the elements; for dots a product of twice the depth beside the plain
// one (kernels/gemm_bound.cc).
#include "sim/domains/floats/bounded.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/ir/scalar/order.h"
#include "core/support/mix.h"
#include "sim/domains/floats/bound.h"
#include "sim/domains/floats/bounded_elementwise.h"
#include "sim/integers/integer_ops.h"
#include "sim/integers/native_predicates.h"
#include "sim/kernels/gemm.h"
#include "sim/value/top_k.h"
#include "sim/value/typed_bytes.h"

namespace isoshard::sim {
namespace {

using scalar::canonical;
using scalar::magnitude;

const uint8_t* predicate_bytes(const std::byte* p) { return reinterpret_cast<const uint8_t*>(p); }
uint8_t* predicate_bytes(std::byte* p) { return reinterpret_cast<uint8_t*>(p); }

uint8_t conjunction(uint8_t a, uint8_t b) {
  if (a == 0 || b == 0) return 0;
  return static_cast<uint8_t>((a & b & 1) | ((a | b) & kUnsure));
}

uint8_t negation(uint8_t a) { return a ^ 1; }

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

/// Which sums of two exact zeros are zeros of either sign.
std::vector<int64_t> either_zeros(int64_t n, const double* x, const double* y) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < n; ++i) {
    const Bounded a{x[i], x[n + i]}, b{y[i], y[n + i]};
    if (exact_zero(a) && exact_zero(b) && is_either_zero(sum_of_zeros(a, b))) result.push_back(i);
  }
  return result;
}

/// Element i of n.
void set(Bounded x, double* out, int64_t n, int64_t i) {
  out[i] = x.value;
  out[n + i] = x.error;
}

}  // namespace

Storage BoundedDomain::storage(DType dtype) const {
  return dtype == DType::pred ? Storage{1, 1} : Storage{sizeof(double), 2};
}

void BoundedDomain::constant(const Rational& constant, DType dtype, std::byte* out) const {
  const ConstantReading reading = constants_.of(constant, dtype);
  const double value = reading.to_double();
  if (!constant.finite()) {  // as written
    const Bounded exact{value, 0};
    std::memcpy(out, &exact, sizeof exact);
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

void BoundedDomain::from_unsigned(DType, int64_t n, const uint64_t* x, std::byte* out) const {
  constexpr uint64_t kExact = uint64_t{1} << 53;
  double* value = doubles(out);
  for (int64_t i = 0; i < n; ++i) {
    value[i] = static_cast<double>(x[i]);
    value[n + i] = x[i] <= kExact ? 0 : rounding(value[i]) * kRaise;
  }
}

void BoundedDomain::to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const {
  const double* value = doubles(x);
  for (int64_t i = 0; i < n; ++i) {
    const Interval ends = interval_of(Bounded{value[i], value[n + i]});
    out[i] = integer::truncated_from(dtype, value[i], to);
    // A float of the program may be rounded to its dtype here or not: only where both give one integer it is known.
    const auto differs = [&](double end) {
      return integer::truncated(end, to) != out[i] || integer::truncated_from(dtype, end, to) != out[i];
    };
    const bool open = differs(ends.low) || differs(ends.high);
    if (open || !(value[n + i] < kInfinity)) note_tie();
  }
}

void BoundedDomain::convert(DType, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  std::copy_n(doubles(x), 2 * n, doubles(out));
  if (to == DType::f8e4m3) drop_infinities(n, doubles(out));
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
  unary_bound(op, n, doubles(x), doubles(out));
}

void BoundedDomain::binary(BinaryOp op, DType, int64_t n, const std::byte* x, const std::byte* y,
                           std::byte* out) const {
  binary_bound(op, n, doubles(x), doubles(y), doubles(out));
}

namespace {

/// The smallest magnitude that is not 0, of `x` and a number.
double smaller_unless_0(double smallest, double x) {
  const double size = magnitude(x);
  return size != 0 && size < smallest ? size : smallest;
}

/// The smallest magnitude of a value or an error that is not 0; infinity where all are.
double smallest(int64_t count, const double* value, const double* error) {
  double result = kInfinity;
  for (int64_t i = 0; i < count; ++i) result = smaller_unless_0(smaller_unless_0(result, value[i]), error[i]);
  return result;
}

/// The same of each column of a matrix of n columns.
std::vector<double> smallest_of_columns(int64_t k, int64_t n, const BoundMatrix& b) {
  std::vector<double> result(static_cast<size_t>(n), kInfinity);
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double& least = result[static_cast<size_t>(j)];
      least = smaller_unless_0(smaller_unless_0(least, b.value[i * n + j]), b.error[i * n + j]);
    }
  }
  return result;
}

/// Products of numbers and of their errors may underflow, each by less than the smallest number: gemm_bound counts
/// relative errors only.
void add_underflow(int64_t m, int64_t n, int64_t k, const BoundMatrix& a, const BoundMatrix& b, double* error) {
  constexpr double kNoUnderflow = 0x1p-1021;
  if (smallest(m * k, a.value, a.error) * smallest(k * n, b.value, b.error) >= kNoUnderflow) return;
  const std::vector<double> of_column = smallest_of_columns(k, n, b);
  for (int64_t i = 0; i < m; ++i) {
    const double of_row = smallest(k, a.value + i * k, a.error + i * k);
    for (int64_t j = 0; j < n; ++j) {
      const bool may_underflow = of_row * of_column[static_cast<size_t>(j)] < kNoUnderflow;
      if (may_underflow) error[i * n + j] += 3 * static_cast<double>(k) * kSmallest;
    }
  }
}

}  // namespace

void BoundedDomain::dot(DType, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                        std::byte* out) const {
  const BoundMatrix left{doubles(a), doubles(a) + m * k, k};
  const BoundMatrix right{doubles(b), doubles(b) + k * n, n};
  gemm_bound(best_isa(), m, n, k, left, right, BoundResult{doubles(out), doubles(out) + m * n, n});
  add_underflow(m, n, k, left, right, doubles(out) + m * n);
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
  const std::vector<int64_t> either = either_zeros(n, sum, term);
  accumulate_bound(best_isa(), sum, sum + n, term, term + n, n);
  if (exact) std::fill_n(sum + n, n, 0.0);
  for (const int64_t i : either) sum[n + i] = kEitherZero;
  for (const int64_t i : undefined) set(kUndefined, sum, n, i);
}

void BoundedDomain::from_native(int64_t n, const uint8_t* x, std::byte* out) const {
  std::copy_n(x, n, predicate_bytes(out));
}

void BoundedDomain::decide(int64_t n, const std::byte* predicate, uint8_t* out) const {
  for (int64_t i = 0; i < n; ++i) {
    if ((predicate_bytes(predicate)[i] & kUnsure) != 0) note_tie();
    out[i] = predicate_bytes(predicate)[i] & 1;
  }
}

void BoundedDomain::to_float(DType, int64_t n, const std::byte* predicate, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const uint8_t p = predicate_bytes(predicate)[i];
    doubles(out)[i] = p & 1;
    doubles(out)[n + i] = (p & kUnsure) != 0 ? kInfinity : 0;
  }
}

/// A value is sure to equal itself, unless it may be nan.
void BoundedDomain::compare(Direction direction, DType, int64_t n, const std::byte* x, const std::byte* y,
                            std::byte* out) const {
  const double *a = doubles(x), *b = doubles(y);
  compare_native(direction, n, a, b, predicate_bytes(out));
  for (int64_t i = 0; i < n; ++i) {
    const bool itself = x == y && a[n + i] < kInfinity;
    if (!itself && !apart({a[i], a[n + i]}, {b[i], b[n + i]})) predicate_bytes(out)[i] |= kUnsure;
  }
}

/// What has an infinite error may have overflowed, and be a number: without one nan and infinities are exact.
void BoundedDomain::finite(DType, int64_t n, const std::byte* x, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const uint8_t is = std::isfinite(doubles(x)[i]) ? 1 : 0;
    predicate_bytes(out)[i] = std::isfinite(doubles(x)[n + i]) ? is : static_cast<uint8_t>(is | kUnsure);
  }
}

void BoundedDomain::logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  const uint8_t *a = predicate_bytes(x), *b = predicate_bytes(y);
  for (int64_t i = 0; i < n; ++i) {
    predicate_bytes(out)[i] = op == Logic::conjunction   ? conjunction(a[i], b[i])
                              : op == Logic::disjunction ? negation(conjunction(negation(a[i]), negation(b[i])))
                                                         : negation(a[i]);
  }
}

void BoundedDomain::select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                           std::byte* out) const {
  const uint8_t* p = predicate_bytes(predicate);
  if (dtype == DType::pred) {
    for (int64_t i = 0; i < n; ++i) {
      const uint8_t a = predicate_bytes(x)[i], b = predicate_bytes(y)[i], chosen = (p[i] & 1) != 0 ? a : b;
      predicate_bytes(out)[i] = (p[i] & kUnsure) != 0 && a != b ? static_cast<uint8_t>(chosen | kUnsure) : chosen;
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    const double* chosen = doubles((p[i] & 1) != 0 ? x : y);
    doubles(out)[i] = chosen[i];
    doubles(out)[n + i] = (p[i] & kUnsure) != 0 ? kInfinity : chosen[n + i];
  }
}

void BoundedDomain::sign(SignOp op, DType, int64_t n, const std::byte* x, std::byte* out) const {
  const double* in = doubles(x);
  for (int64_t i = 0; i < n; ++i) {
    const double value = in[i], error = in[n + i];
    if (op == SignOp::abs) {
      doubles(out)[i] = std::abs(value);
      doubles(out)[n + i] = std::abs(error);
    } else {
      doubles(out)[i] = scalar::sign_of(value);
      doubles(out)[n + i] = exact_zero({value, error}) ? error : apart({value, error}, {0, 0}) ? 0 : kInfinity;
    }
  }
}

void BoundedDomain::extreme(Extreme op, DType, int64_t n, const std::byte* x, const std::byte* y,
                            std::byte* out) const {
  const auto extreme_of = [op](Bounded a, Bounded b) -> Bounded {
    if (is_undefined(a) || is_undefined(b)) return kUndefined;
    if (a.value != a.value || b.value != b.value) return {kUndefined.value, kInfinity};
    if (exact_zero(a) && exact_zero(b) && (is_either_zero(a) || is_either_zero(b))) return {0, kEitherZero};
    const bool first = op == Extreme::maximum ? a.value > b.value : a.value < b.value;
    const bool sure = apart(a, b);
    const double error = !sure ? std::max(a.error, b.error) : first ? a.error : b.error;
    return {op == Extreme::maximum ? scalar::larger(a.value, b.value) : scalar::smaller(a.value, b.value), error};
  };
  const double *a = doubles(x), *b = doubles(y);
  for (int64_t i = 0; i < n; ++i) {
    const Bounded result = extreme_of(Bounded{a[i], a[n + i]}, Bounded{b[i], b[n + i]});
    doubles(out)[i] = result.value;
    doubles(out)[n + i] = result.error;
  }
}

void BoundedDomain::top_k(DType, int64_t rows, int64_t length, int64_t k, const std::byte* x, int32_t* indices) const {
  const double *value = doubles(x), *error = value + rows * length;
  top_k_rows(
      rows, length, k, [&](int64_t a, int64_t b) { return value[a] > value[b]; }, indices);
  if (std::any_of(value, error, [](double v) { return std::isnan(v); })) note_tie();  // nan has no place
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<bool> chosen(static_cast<size_t>(length), false);
    for (int64_t i = 0; i < k; ++i) {
      const int64_t index = indices[row * k + i], at = row * length + index;
      chosen[static_cast<size_t>(index)] = true;
      for (int64_t j = 0; j < length; ++j) {
        const int64_t other = row * length + j;
        if (!chosen[static_cast<size_t>(j)] && !apart({value[at], error[at]}, {value[other], error[other]})) note_tie();
      }
    }
  }
}

const Domain& bounded_domain() {
  static const BoundedDomain domain;
  return domain;
}

}  // namespace isoshard::sim
