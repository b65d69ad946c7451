// Rung F with masks that are infinite, as rungs E read them (docs/spec/float_bounds.md, "Masks"): a third plane holds
// the multiple of a formal infinity T, and everything else is BoundedDomain's arithmetic on what stands beside T. A
// number becomes a multiple of T when it meets data, and not before, since -1e30 * 0 of a computed mask is 0 exactly.
// Only sums, rational multiples, maxima, movement and exp know T; any other function of it has no bound, so that
// nothing is concluded. Arrays without any T go through BoundedDomain whole, so that this costs a look at one plane;
// others go element by element.
#include "sim/domains/floats/bounded_masks.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/domains/floats/bound.h"
#include "sim/domains/masks.h"
#include "sim/integers/constants.h"
#include "sim/value/reduce_offsets.h"
#include "sim/value/typed_bytes.h"

namespace isoshard::sim {
namespace {

constexpr double kNumber = std::numeric_limits<double>::quiet_NaN();
constexpr auto kDtype = DType::f64;  // all float dtypes are alike

std::byte* bounded_bytes(Bounded* p) { return reinterpret_cast<std::byte*>(p); }

/// c·T + x.
struct Element {
  Bounded x{0, 0};
  double c = 0;

  bool is_number() const { return std::isnan(c); }
  bool is_infinite() const { return c != 0 && !is_number(); }
};

Element at(int64_t n, const std::byte* p, int64_t i) {
  return {{doubles(p)[i], doubles(p)[n + i]}, doubles(p)[2 * n + i]};
}

void put_element(const Element& e, int64_t n, int64_t i, std::byte* out) {
  doubles(out)[i] = e.x.value;
  doubles(out)[n + i] = e.x.error;
  doubles(out)[2 * n + i] = e.c;
}

void fill_multiple(int64_t n, double c, std::byte* out) { std::fill_n(doubles(out) + 2 * n, n, c); }

bool all_data(int64_t n, const std::byte* p) {
  return std::all_of(doubles(p) + 2 * n, doubles(p) + 3 * n, [](double c) { return c == 0; });
}

bool all_numbers(int64_t n, const std::byte* p) {
  return std::all_of(doubles(p) + 2 * n, doubles(p) + 3 * n, [](double c) { return std::isnan(c); });
}

bool none_infinite(int64_t n, const std::byte* p) {
  return std::all_of(doubles(p) + 2 * n, doubles(p) + 3 * n, [](double c) { return c == 0 || std::isnan(c); });
}

Element unknown() { return {{0, kInfinity}, 0}; }

/// A number that meets data: a large one is a multiple of T. Its rounding is no part of any bound: both programs mean
/// the same mask.
Element met(const Element& e, bool also_positive) {
  if (!e.is_number()) return e;
  constexpr auto kLeast = static_cast<double>(kLeastMask);
  const double value = e.x.value;
  const bool mask = std::isfinite(value) && (value <= -kLeast || (also_positive && value >= kLeast));
  return mask ? Element{{0, 0}, value} : Element{e.x, 0};
}

/// Single elements without T, in BoundedDomain.
struct Finite {
  const BoundedDomain& domain;

  Bounded unary(UnaryOp op, Bounded x) const {
    Bounded y{0, 0};
    domain.BoundedDomain::unary(op, kDtype, 1, bounded_bytes(&x), bounded_bytes(&y));
    return y;
  }
  Bounded binary(BinaryOp op, Bounded x, Bounded y) const {
    Bounded z{0, 0};
    domain.BoundedDomain::binary(op, kDtype, 1, bounded_bytes(&x), bounded_bytes(&y), bounded_bytes(&z));
    return z;
  }
  Bounded extreme(Extreme op, Bounded x, Bounded y) const {
    Bounded z{0, 0};
    domain.BoundedDomain::extreme(op, kDtype, 1, bounded_bytes(&x), bounded_bytes(&y), bounded_bytes(&z));
    return z;
  }
};

/// What rounding leaves of multiples that cancel is 0.
double cancelled(double sum, double a, double b) {
  return std::abs(sum) <= 0x1p-40 * std::max(std::abs(a), std::abs(b)) ? 0 : sum;
}

/// `op` is add or subtract.
Element masked_sum(const Finite& finite, BinaryOp op, const Element& x, const Element& y) {
  const Bounded rest = finite.binary(op, x.x, y.x);
  if (x.is_number() && y.is_number()) return {rest, kNumber};
  const Element a = met(x, true), b = met(y, true);
  if (is_infinite(a.x) || is_infinite(b.x))
    return {finite.binary(op, a.x, b.x), 0};  // as written, beyond all multiples
  const double c = cancelled(op == BinaryOp::add ? a.c + b.c : a.c - b.c, a.c, b.c);
  const Bounded sum = finite.binary(op, a.x, b.x);
  return {a.c != 0 && c == 0 && exact_zero(sum) ? Bounded{0, 0} : sum, c};  // numbers that cancel leave +0
}

Element multiple_of(const Finite& finite, BinaryOp op, const Element& x, const Element& number) {
  const Bounded rest = finite.binary(op, x.x, number.x);
  if (x.is_number()) return {rest, kNumber};
  const double c = op == BinaryOp::multiply ? x.c * number.x.value : x.c / number.x.value;
  return std::isfinite(c) ? Element{rest, c} : unknown();
}

Element apply_masked(const Finite& finite, BinaryOp op, const Element& x, const Element& y) {
  if (op == BinaryOp::add || op == BinaryOp::subtract) return masked_sum(finite, op, x, y);
  if (op == BinaryOp::multiply && x.is_number()) return multiple_of(finite, op, y, x);
  if ((op == BinaryOp::multiply || op == BinaryOp::divide) && y.is_number()) return multiple_of(finite, op, x, y);
  if (x.is_infinite() || y.is_infinite()) return unknown();
  const bool number = op == BinaryOp::remainder && x.is_number() && y.is_number();
  return {finite.binary(op, x.x, y.x), number ? kNumber : 0};
}

Element apply_masked(const Finite& finite, UnaryOp op, const Element& x) {
  const Element e = op == UnaryOp::exponential ? met(x, false) : x;
  if (op == UnaryOp::exponential && e.c < 0) return {};
  if (op == UnaryOp::negate) return {finite.unary(op, x.x), x.is_infinite() ? -x.c : x.c};
  if (e.is_infinite()) return unknown();
  const bool number = op == UnaryOp::floor && x.is_number();
  return {finite.unary(op, e.x), number ? kNumber : 0};
}

/// -inf and inf as written lie beyond all multiples of T.
bool any_beyond(const Element& x, const Element& y) { return is_infinite(x.x) || is_infinite(y.x); }

/// What an element compares as beside one that lies beyond.
Bounded place_of(const Element& e) { return is_infinite(e.x) ? e.x : e.is_infinite() ? Bounded{0, 0} : e.x; }

Element larger_or_smaller(const Finite& finite, Extreme op, const Element& x, const Element& y) {
  if (x.is_number() && y.is_number()) return {finite.extreme(op, x.x, y.x), kNumber};
  const Element a = met(x, false), b = met(y, false);
  if (MaskedBoundedDomain::same_multiple(a.c, b.c)) return {finite.extreme(op, a.x, b.x), a.c};
  const bool first = any_beyond(a, b) ? place_of(a).value > place_of(b).value : a.c > b.c;
  return first == (op == Extreme::maximum) ? x : y;
}

}  // namespace

bool MaskedBoundedDomain::same_multiple(double a, double b) { return a == b || cancelled(a - b, a, b) == 0; }

double MaskedBoundedDomain::multiple(const Value& x, size_t i) {
  if (x.storage.planes != 3) return 0;
  const double c = x.plane<double>(2)[i];
  return std::isnan(c) ? 0 : c;
}

Storage MaskedBoundedDomain::storage(DType dtype) const {
  return dtype == DType::pred ? BoundedDomain::storage(dtype) : Storage{sizeof(double), 3};
}

void MaskedBoundedDomain::constant(const Rational& constant, DType dtype, std::byte* out) const {
  BoundedDomain::constant(constant, dtype, out);
  const bool rational = constant.finite() && constants().of(constant, dtype).roots.empty();
  const bool number = rational && !constants().is_bound(constant, dtype);
  doubles(out)[2] = number ? kNumber : 0;
}

void MaskedBoundedDomain::from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const {
  BoundedDomain::from_doubles(dtype, n, x, out);
  fill_multiple(n, 0, out);
}

void MaskedBoundedDomain::poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const {
  BoundedDomain::poison(dtype, seed, n, out);
  fill_multiple(n, 0, out);
}

void MaskedBoundedDomain::from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const {
  BoundedDomain::from_integers(dtype, n, x, out);
  fill_multiple(n, kNumber, out);
}

void MaskedBoundedDomain::from_unsigned(DType dtype, int64_t n, const uint64_t* x, std::byte* out) const {
  BoundedDomain::from_unsigned(dtype, n, x, out);
  fill_multiple(n, kNumber, out);
}

void MaskedBoundedDomain::to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const {
  std::vector<double> finite(doubles(x), doubles(x) + 2 * n);
  for (int64_t i = 0; i < n; ++i) {
    if (at(n, x, i).is_infinite()) finite[static_cast<size_t>(n + i)] = kInfinity;  // a tie
  }
  BoundedDomain::to_integers(dtype, n, reinterpret_cast<const std::byte*>(finite.data()), to, out);
}

void MaskedBoundedDomain::convert(DType, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  std::copy_n(doubles(x), 3 * n, doubles(out));
  if (to == DType::f8e4m3) drop_infinities(n, doubles(out));
}

void MaskedBoundedDomain::unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  if (all_data(n, x)) {
    BoundedDomain::unary(op, dtype, n, x, out);
    return fill_multiple(n, 0, out);
  }
  for (int64_t i = 0; i < n; ++i) put_element(apply_masked(Finite{*this}, op, at(n, x, i)), n, i, out);
}

void MaskedBoundedDomain::binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                                 std::byte* out) const {
  if (all_data(n, x) && all_data(n, y)) {
    BoundedDomain::binary(op, dtype, n, x, y, out);
    return fill_multiple(n, 0, out);
  }
  for (int64_t i = 0; i < n; ++i) put_element(apply_masked(Finite{*this}, op, at(n, x, i), at(n, y, i)), n, i, out);
}

void MaskedBoundedDomain::dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                              std::byte* out) const {
  if (none_infinite(m * k, a) && none_infinite(k * n, b)) {
    BoundedDomain::dot(dtype, m, n, k, a, b, out);
    return fill_multiple(m * n, all_numbers(m * k, a) && all_numbers(k * n, b) ? kNumber : 0, out);
  }
  const Finite finite{*this};
  for (int64_t i = 0; i < m * n; ++i) {
    Element total{{0, 0}, kNumber};
    for (int64_t t = 0; t < k; ++t) {
      const Element x = at(m * k, a, i / n * k + t), y = at(k * n, b, t * n + i % n);
      total = masked_sum(finite, BinaryOp::add, total, apply_masked(finite, BinaryOp::multiply, x, y));
    }
    put_element(total, m * n, i, out);
  }
}

void MaskedBoundedDomain::sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  const int64_t in = plan.input_size(), n = plan.output_size();
  if (all_data(in, x)) {
    BoundedDomain::sum(dtype, plan, x, out);
    return fill_multiple(n, 0, out);
  }
  const std::vector<int64_t> kept = offsets(plan.kept()), reduced = offsets(plan.reduced());
  for (int64_t i = 0; i < n; ++i) {
    Element total{{0, 0}, kNumber};
    for (const int64_t j : reduced) {
      total = masked_sum(Finite{*this}, BinaryOp::add, total, at(in, x, kept[static_cast<size_t>(i)] + j));
    }
    put_element(total, n, i, out);
  }
}

void MaskedBoundedDomain::accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const {
  binary(BinaryOp::add, dtype, n, acc, x, acc);
}

void MaskedBoundedDomain::to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const {
  BoundedDomain::to_float(dtype, n, predicate, out);
  for (int64_t i = 0; i < n; ++i) doubles(out)[2 * n + i] = doubles(out)[n + i] == 0 ? kNumber : 0;
}

void MaskedBoundedDomain::compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                                  std::byte* out) const {
  if (all_data(n, x) && all_data(n, y)) return BoundedDomain::compare(direction, dtype, n, x, y, out);
  for (int64_t i = 0; i < n; ++i) {
    Element a = at(n, x, i), b = at(n, y, i);
    if (!a.is_number() || !b.is_number()) {
      a = met(a, false);
      b = met(b, false);
    }
    Bounded left = a.x, right = b.x;
    const bool numbers = a.is_number() && b.is_number();
    if (!numbers && !same_multiple(a.c, b.c)) {
      left = any_beyond(a, b) ? place_of(a) : Bounded{a.c, 0};
      right = any_beyond(a, b) ? place_of(b) : Bounded{b.c, 0};
    }
    BoundedDomain::compare(direction, dtype, 1, bounded_bytes(&left), bounded_bytes(&right), out + i);
  }
}

/// As written a multiple of T is a number.
void MaskedBoundedDomain::finite(DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const Element e = at(n, x, i);
    Bounded seen{e.x.value, e.is_infinite() ? kInfinity : e.x.error};
    BoundedDomain::finite(dtype, 1, bounded_bytes(&seen), out + i);
  }
}

void MaskedBoundedDomain::select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x,
                                 const std::byte* y, std::byte* out) const {
  BoundedDomain::select(dtype, n, predicate, x, y, out);
  if (dtype == DType::pred) return;
  const auto* p = reinterpret_cast<const uint8_t*>(predicate);
  for (int64_t i = 0; i < n; ++i) {
    const double c = doubles((p[i] & 1) != 0 ? x : y)[2 * n + i];
    doubles(out)[2 * n + i] = doubles(out)[n + i] < kInfinity ? c : 0;
  }
}

void MaskedBoundedDomain::sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  BoundedDomain::sign(op, dtype, n, x, out);
  for (int64_t i = 0; i < n; ++i) {
    const Element e = at(n, x, i);
    if (e.is_infinite()) {
      put_element(unknown(), n, i, out);
    } else {
      doubles(out)[2 * n + i] = e.c;
    }
  }
}

void MaskedBoundedDomain::extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                                  std::byte* out) const {
  if (all_data(n, x) && all_data(n, y)) {
    BoundedDomain::extreme(op, dtype, n, x, y, out);
    return fill_multiple(n, 0, out);
  }
  for (int64_t i = 0; i < n; ++i)
    put_element(larger_or_smaller(Finite{*this}, op, at(n, x, i), at(n, y, i)), n, i, out);
}

/// Multiples of T among the k largest are ties: what they are added to would decide.
void MaskedBoundedDomain::top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x,
                                int32_t* indices) const {
  const int64_t n = rows * length;
  if (all_data(n, x)) return BoundedDomain::top_k(dtype, rows, length, k, x, indices);
  std::vector<double> finite(doubles(x), doubles(x) + 2 * n);
  for (int64_t i = 0; i < n; ++i) {
    const Element e = at(n, x, i);
    if (!e.is_infinite()) continue;
    finite[static_cast<size_t>(i)] = e.c * 0x1p300;
    finite[static_cast<size_t>(n + i)] = std::abs(e.c) * 0x1p290;
  }
  BoundedDomain::top_k(dtype, rows, length, k, reinterpret_cast<const std::byte*>(finite.data()), indices);
}

}  // namespace isoshard::sim
