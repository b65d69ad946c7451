// The order of IEEE floats (docs/adr/0011-order.md): comparisons, maxima, signs and the k largest. Predicates are
// bytes. Maxima follow IEEE 754-2019, where a NaN wins and +0 is above -0, so that the result does not depend on the
// order of operands and a maximum over devices is the same on every mesh; a minimum is the negated maximum of negated
// operands. In lists that fall NaN comes first, as in XLA, and of equal elements the first. Cost: one pass, or a
// partial sort per row.
#include <algorithm>
#include <cmath>

#include "core/ir/scalar/format.h"
#include "core/support/check.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/integers/native_predicates.h"
#include "sim/value/top_k.h"
#include "sim/value/typed_bytes.h"

// Comparisons of IEEE floats; predicates are bytes.
namespace isoshard::sim {
namespace {

/// Calls `use` with a 0 of the C++ type that holds one element.
template <class Use>
void with_format(const Storage& storage, const Use& use) {
  if (storage.element_bytes == sizeof(double)) return use(double{});
  ISOSHARD_CHECK(storage.element_bytes == sizeof(float), "a float format without comparisons");
  use(float{});
}

/// IEEE 754-2019 maximum: nan if either is, and +0 above -0.
template <class T>
T larger(T x, T y) {
  if (!(x == x) || !(y == y)) return scalar::canonical_nan<T>();
  if (x == y) return x == 0 ? x + y : x;
  return x > y ? x : y;
}

template <class T>
T smaller(T x, T y) {
  return scalar::canonical(-larger(-x, -y));
}

template <class T>
T sign_of(T x) {
  if (!(x == x)) return scalar::canonical_nan<T>();
  return x > 0 ? T(1) : x < 0 ? T(-1) : x;
}

/// Whether x comes before y in a list that falls; nan is the largest number.
template <class T>
bool falls(T x, T y) {
  if (!(y == y)) return false;
  return !(x == x) || x > y;
}

}  // namespace

void FloatDomain::from_native(int64_t n, const uint8_t* x, std::byte* out) const {
  std::copy_n(x, n, as<uint8_t>(out));
}

void FloatDomain::decide(int64_t n, const std::byte* predicate, uint8_t* out) const {
  std::copy_n(as<uint8_t>(predicate), n, out);
}

void FloatDomain::to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const {
  with_format(storage(dtype), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < n; ++i) as<T>(out)[i] = static_cast<T>(as<uint8_t>(predicate)[i]);
  });
}

void FloatDomain::compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                          std::byte* out) const {
  with_format(storage(dtype), [&](auto zero) {
    using T = decltype(zero);
    compare_native(direction, n, as<T>(x), as<T>(y), as<uint8_t>(out));
  });
}

void FloatDomain::finite(DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  with_format(storage(dtype), [&](auto zero) {
    const auto* in = as<decltype(zero)>(x);
    for (int64_t i = 0; i < n; ++i) as<uint8_t>(out)[i] = std::isfinite(in[i]) ? 1 : 0;
  });
}

void FloatDomain::logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  logic_native(op, n, as<uint8_t>(x), as<uint8_t>(y), as<uint8_t>(out), uint8_t{1});
}

void FloatDomain::select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                         std::byte* out) const {
  select_native(storage(dtype).element_bytes, n, as<uint8_t>(predicate), x, y, out);
}

void FloatDomain::sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  with_format(storage(dtype), [&](auto zero) {
    using T = decltype(zero);
    const T* in = as<T>(x);
    for (int64_t i = 0; i < n; ++i) {
      as<T>(out)[i] = op == SignOp::abs ? scalar::canonical(scalar::magnitude(in[i])) : sign_of(in[i]);
    }
  });
}

void FloatDomain::extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                          std::byte* out) const {
  with_format(storage(dtype), [&](auto zero) {
    using T = decltype(zero);
    const T *a = as<T>(x), *b = as<T>(y);
    T* c = as<T>(out);
    if (op == Extreme::maximum) {
      for (int64_t i = 0; i < n; ++i) c[i] = larger(a[i], b[i]);
    } else {
      for (int64_t i = 0; i < n; ++i) c[i] = smaller(a[i], b[i]);
    }
  });
}

void FloatDomain::top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x,
                        int32_t* indices) const {
  with_format(storage(dtype), [&](auto zero) {
    const auto* in = as<decltype(zero)>(x);
    top_k_rows(
        rows, length, k, [&](int64_t a, int64_t b) { return falls(in[a], in[b]); }, indices);
  });
}

}  // namespace isoshard::sim
