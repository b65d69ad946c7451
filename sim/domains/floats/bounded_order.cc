// How numbers with error bounds compare (docs/spec/float_bounds.md, "Comparisons"). Two numbers that are further apart
// than their errors compare as the true ones do. Others give a predicate that is unsure; it stays so through logic,
// unless the other operand decides, and what it selects has an infinite error. Where an integer depends on it the
// domain notes a tie, since integers have no bound. A maximum of close numbers is one of them and only gets the larger
// error. Cost: one pass.
#include <algorithm>
#include <cmath>

#include "sim/domains/floats/bound.h"
#include "sim/domains/floats/bounded.h"
#include "sim/integers/native_predicates.h"
#include "sim/value/top_k.h"
#include "sim/value/typed_bytes.h"

// Comparisons of values with error bounds. A predicate is a byte: bit 0 is its value, bit 1 says that the operands were
// closer than their errors, so that the true value may be the other one.
namespace isoshard::sim {
namespace {

constexpr uint8_t kUnsure = 2;
/// Outweighs the roundings of a difference and a sum.
constexpr double kDifferenceRaise = 1 + 8 * 0x1p-53;

const uint8_t* predicate_bytes(const std::byte* p) { return reinterpret_cast<const uint8_t*>(p); }
uint8_t* predicate_bytes(std::byte* p) { return reinterpret_cast<uint8_t*>(p); }

/// Whether x and y compare as their true values do.
bool apart(double x, double x_error, double y, double y_error) {
  if (x_error == 0 && y_error == 0) return true;
  return std::abs(x - y) > (x_error + y_error) * kDifferenceRaise;
}

uint8_t conjunction(uint8_t a, uint8_t b) {
  if (a == 0 || b == 0) return 0;
  return static_cast<uint8_t>((a & b & 1) | ((a | b) & kUnsure));
}

uint8_t negation(uint8_t a) { return a ^ 1; }

}  // namespace

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

void BoundedDomain::compare(Direction direction, DType, int64_t n, const std::byte* x, const std::byte* y,
                            std::byte* out) const {
  const double *a = doubles(x), *b = doubles(y);
  compare_native(direction, n, a, b, predicate_bytes(out));
  for (int64_t i = 0; i < n; ++i) {
    if (!apart(a[i], a[n + i], b[i], b[n + i])) predicate_bytes(out)[i] |= kUnsure;
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
      doubles(out)[n + i] = error;
    } else {
      doubles(out)[i] = value > 0 ? 1 : value < 0 ? -1 : value;
      doubles(out)[n + i] = apart(value, error, 0, 0) ? 0 : kInfinity;
    }
  }
}

void BoundedDomain::extreme(Extreme op, DType, int64_t n, const std::byte* x, const std::byte* y,
                            std::byte* out) const {
  const auto extreme_of = [op](Bounded a, Bounded b) -> Bounded {
    if (is_undefined(a) || is_undefined(b)) return kUndefined;
    if (a.value != a.value || b.value != b.value) return {kUndefined.value, kInfinity};
    const bool first = op == Extreme::maximum ? a.value > b.value : a.value < b.value;
    const bool sure = apart(a.value, a.error, b.value, b.error);
    const double error = !sure ? std::max(a.error, b.error) : first ? a.error : b.error;
    return {a.value == b.value ? a.value + 0.0 : first ? a.value : b.value, error};
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
        if (!chosen[static_cast<size_t>(j)] && !apart(value[at], error[at], value[other], error[other])) note_tie();
      }
    }
  }
}

}  // namespace isoshard::sim
