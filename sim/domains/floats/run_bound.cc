// Bounds of runs that round (docs/spec/float_bounds.md, "Bounds of runs"). BoundedDomain tells of operands anywhere
// within their bounds how far the exact result is from the value that it computes in f64, its own rounding included. A
// run rounds that exact result once more, in its dtype: at most u times its size, which is at most |value| + bound. So
// each op here is that of BoundedDomain and then `widen`. An op whose result is exact and fits the dtype does not
// round, so that whole numbers, and what is decided by them, stay exact. Sums and products are added in an order that
// nobody fixes: gamma_k times the sum of all magnitudes holds for every order (Higham, chapter 4), and that sum is one
// more sum, or product, of magnitudes. Units are in the constants below, with what they rest on. Cost: twice that of
// BoundedDomain.
#include "sim/domains/floats/run_bound.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/domains/floats/bound.h"
#include "sim/value/narrow.h"
#include "sim/value/typed_bytes.h"

namespace isoshard::sim {
namespace {

using scalar::magnitude;

/// A binary format: how many bits a number has, the largest one and the least above 0.
struct Digits {
  int bits;
  double largest;
  double smallest;
};

Digits digits_of(DType dtype) {
  switch (dtype) {
    case DType::f8e4m3:
      return {4, 448, 0x1p-9};
    case DType::f8e5m2:
      return {3, 57344, 0x1p-16};
    case DType::bf16:
      return {8, 0x1.FEp127, 0x1p-133};
    case DType::f16:
      return {11, 65504, 0x1p-24};
    case DType::f64:
      return {53, std::numeric_limits<double>::max(), kSmallest};
    default:
      return {24, 0x1.FFFFFEp127, 0x1p-149};
  }
}

double unit_of(DType dtype) { return std::ldexp(1, -digits_of(dtype).bits); }
/// The unit in which results are computed before they are rounded to `dtype`.
double computed_unit(DType dtype) { return dtype == DType::f64 ? kUnit : 0x1p-24; }

/// Functions are within 2 units in the last place of what they are computed in (core/ir/scalar), on devices, too.
constexpr double kFunctionUnits = 4;
/// But those of core/ir/ops/special_functions.h, within 4.
constexpr double kCoarseUnits = 8;
/// And erf_inv, in f32 within 6e-6 of itself.
constexpr double kErfInvUnits = 128;

double units_of_function(UnaryOp op) {
  switch (op) {
    case UnaryOp::erf_inv:
      return kErfInvUnits;
    case UnaryOp::exponential_minus_one:
    case UnaryOp::log_plus_one:
    case UnaryOp::cbrt:
    case UnaryOp::erf:
    case UnaryOp::erfc:
      return kCoarseUnits;
    default:
      return kFunctionUnits;
  }
}

bool is_exact(UnaryOp op) {
  return op == UnaryOp::negate || op == UnaryOp::floor || op == UnaryOp::round_nearest_even ||
         op == UnaryOp::round_nearest_afz;
}
/// Tensor cores add products of narrow floats in f32, cut off in place of rounded, several at a time.
constexpr double kProductUnits = 4;
/// Outweighs roundings in f64 of a magnitude and of the bounds here.
constexpr double kRaiseSize = 1 + 0x1p-30;

bool fits(double x, DType dtype) {
  if (dtype == DType::f64) return true;
  if (!is_narrow(dtype)) return static_cast<double>(static_cast<float>(x)) == x;
  float narrowed = 0;
  narrow(dtype, 1, &x, &narrowed);
  return static_cast<double>(narrowed) == x;
}

/// The bound of (1 + u)^count - 1 for u that are `unit` each.
double gamma(double count, double unit) {
  const double part = count * unit;
  return part < 0.5 ? part / (1 - part) * kRaiseSize : kInfinity;
}

/// An exact result that a run rounds to `dtype`, by at most `units` times its size.
Bounded rounded_once(Bounded x, DType dtype, double units) {
  if (!(x.error < kInfinity)) return x;
  const Digits digits = digits_of(dtype);
  if (x.error == 0 && !(magnitude(x.value) < kInfinity)) return {x.value, dtype == DType::f8e4m3 ? kInfinity : 0};
  if (x.error == 0 && magnitude(x.value) <= digits.largest && fits(x.value, dtype)) return x;
  const double size = (magnitude(x.value) + x.error) * kRaiseSize;
  if (!(size * (1 + units) < digits.largest)) return {x.value, kInfinity};
  return checked(x.value, x.error + units * size + digits.smallest);
}

void widen(DType dtype, double units, int64_t n, std::byte* out) {
  double* x = doubles(out);
  for (int64_t i = 0; i < n; ++i) x[n + i] = rounded_once({x[i], x[n + i]}, dtype, units).error;
}

/// A library may add products to -0 or to +0, so that a zero of one run has another sign in the next, which the
/// infinities have that a division makes of it.
void forget_infinities(int64_t n, std::byte* out) {
  double* x = doubles(out);
  for (int64_t i = 0; i < n; ++i) {
    if (!(magnitude(x[i]) < kInfinity)) x[n + i] = kInfinity;
  }
}

/// What one rounding to `dtype` changes, behind one of `computed` units of what it is computed in.
double units_of(DType dtype, double computed = 1) {
  const double narrowing = is_narrow(dtype) ? unit_of(dtype) : 0;
  return (narrowing + computed * computed_unit(dtype)) * (1 + narrowing);
}

/// The largest magnitudes that a run may have in place of n numbers, as numbers without errors.
std::vector<double> sizes_of(int64_t n, const std::byte* numbers) {
  const double* x = doubles(numbers);
  std::vector<double> sizes(static_cast<size_t>(2 * n + 1), 0.0);  // never without memory
  for (int64_t i = 0; i < n; ++i) sizes[static_cast<size_t>(i)] = magnitude(x[i]) + x[n + i];
  return sizes;
}

/// What a tensor core may take in place of n numbers of f32: 11 bits of them, rounded or cut off, and nothing of what
/// is below the least normal number. Numbers that have no more bits stay as they are.
std::vector<double> as_tf32(int64_t n, const std::byte* numbers) {
  constexpr double kLeast = 0x1p-126;
  std::vector<double> taken(doubles(numbers), doubles(numbers) + 2 * n);
  taken.push_back(0);  // never without memory
  for (int64_t i = 0; i < n; ++i) {
    const double value = taken[static_cast<size_t>(i)], size = magnitude(value);
    double& error = taken[static_cast<size_t>(n + i)];
    int exponent = 0;
    const double digits = std::ldexp(std::frexp(value, &exponent), 11);
    const bool fits = value == 0 || (size >= kLeast && digits == std::floor(digits));
    if (!(error < kInfinity) || !(size < kInfinity) || (error == 0 && fits)) continue;
    const double moved = 0x1p-10 * (size + error) + kLeast;
    const bool may_overflow = !(size + error + moved < digits_of(DType::f32).largest);
    error = may_overflow ? kInfinity : (error + moved) * kRaiseSize;
  }
  return taken;
}

const std::byte* number_bytes(const std::vector<double>& x) { return reinterpret_cast<const std::byte*>(x.data()); }
std::byte* number_bytes(std::vector<double>& x) { return reinterpret_cast<std::byte*>(x.data()); }

/// Adds what additions in any order may change in n sums of numbers with sum `size` of magnitudes. Sums of whole
/// numbers, which have no error so far, stay exact while all partial sums fit the bits of what they are added in. A
/// partial sum that may be beyond its largest number leaves no bound.
void add_order(double part, const Digits& digits, double underflow, int64_t n, const std::vector<double>& size,
               double* error) {
  for (int64_t i = 0; i < n; ++i) {
    const double all = size[static_cast<size_t>(i)] * kRaiseSize;
    if (error[i] == 0 && all <= std::ldexp(1, digits.bits) && all < digits.largest) continue;
    const double added = all < digits.largest ? error[i] + part * all + underflow : kInfinity;
    error[i] = added < kInfinity ? added * kRaise : kInfinity;
  }
}

}  // namespace

void RunBoundDomain::constant(const Rational& constant, DType dtype, std::byte* out) const {
  BoundedDomain::constant(constant, dtype, out);
  widen(dtype, units_of(dtype), 1, out);
}

void RunBoundDomain::from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const {
  BoundedDomain::from_doubles(dtype, n, x, out);
  widen(dtype, units_of(dtype), n, out);
}

void RunBoundDomain::from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const {
  BoundedDomain::from_integers(dtype, n, x, out);
  widen(dtype, units_of(dtype), n, out);
}

void RunBoundDomain::from_unsigned(DType dtype, int64_t n, const uint64_t* x, std::byte* out) const {
  BoundedDomain::from_unsigned(dtype, n, x, out);
  widen(dtype, units_of(dtype), n, out);
}

void RunBoundDomain::convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  BoundedDomain::convert(from, to, n, x, out);
  const bool holds_all = from == to || info(to).bytes > info(from).bytes;
  if (!holds_all) widen(to, units_of(to), n, out);
}

void RunBoundDomain::unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  BoundedDomain::unary(op, dtype, n, x, out);
  if (is_exact(op)) return;
  widen(dtype, units_of(dtype, units_of_function(op)), n, out);
  if (op == UnaryOp::rsqrt) forget_infinities(n, out);
}

void RunBoundDomain::binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                            std::byte* out) const {
  // 0 times what may be an infinity in a run is none of its numbers.
  std::vector<bool> open(static_cast<size_t>(n), false);
  const double *a = doubles(x) + n, *b = doubles(y) + n;
  for (int64_t i = 0; i < n; ++i) open[static_cast<size_t>(i)] = !(a[i] < kInfinity) || !(b[i] < kInfinity);
  BoundedDomain::binary(op, dtype, n, x, y, out);
  const bool is_function = op == BinaryOp::power || op == BinaryOp::remainder;
  widen(dtype, units_of(dtype, op == BinaryOp::atan2 ? kCoarseUnits : is_function ? kFunctionUnits : 1), n, out);
  for (int64_t i = 0; i < n; ++i) {
    if (open[static_cast<size_t>(i)]) doubles(out)[n + i] = kInfinity;
  }
  if (op == BinaryOp::divide || op == BinaryOp::power) forget_infinities(n, out);
}

void RunBoundDomain::dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                         std::byte* out) const {
  std::vector<double> taken_a, taken_b;
  if (tf32_ && dtype == DType::f32) {
    taken_a = as_tf32(m * k, a), taken_b = as_tf32(k * n, b);
    a = number_bytes(taken_a), b = number_bytes(taken_b);
  }
  BoundedDomain::dot(dtype, m, n, k, a, b, out);
  const std::vector<double> left = sizes_of(m * k, a), right = sizes_of(k * n, b);
  std::vector<double> size(static_cast<size_t>(2 * m * n + 1));
  BoundedDomain::dot(dtype, m, n, k, number_bytes(left), number_bytes(right), number_bytes(size));
  const DType computed = dtype == DType::f64 ? DType::f64 : DType::f32;
  const auto terms = static_cast<double>(k);
  add_order(gamma(terms, kProductUnits * computed_unit(dtype)), digits_of(computed),
            terms * digits_of(computed).smallest, m * n, size, doubles(out) + m * n);
  widen(dtype, units_of(dtype), m * n, out);
}

void RunBoundDomain::sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  BoundedDomain::sum(dtype, plan, x, out);
  const int64_t n = plan.output_size();
  const std::vector<double> sizes = sizes_of(plan.input_size(), x);
  std::vector<double> size(static_cast<size_t>(2 * n + 1));
  BoundedDomain::sum(dtype, plan, number_bytes(sizes), number_bytes(size));
  const DType computed = dtype == DType::f64 ? DType::f64 : DType::f32;
  add_order(gamma(static_cast<double>(plan.count()), computed_unit(dtype)), digits_of(computed), 0, n, size,
            doubles(out) + n);
  widen(dtype, units_of(dtype), n, out);
}

/// Each term is charged for all additions, also as part of the sums that it is in already: more than any order needs.
void RunBoundDomain::accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const {
  std::vector<double> size = sizes_of(n, acc);
  const std::vector<double> of_term = sizes_of(n, x);
  for (size_t i = 0; i < static_cast<size_t>(n); ++i) size[i] = (size[i] + of_term[i]) * members_;
  BoundedDomain::accumulate(dtype, n, acc, x);
  // `size` is members_ times what is charged, so that whole numbers stay exact in sums of so many of them.
  add_order(gamma(members_, units_of(dtype)) / members_, digits_of(dtype), 0, n, size, doubles(acc) + n);
}

void RunBoundDomain::finish_sum(DType dtype, int64_t n, std::byte* sum) const { widen(dtype, units_of(dtype), n, sum); }

}  // namespace isoshard::sim
