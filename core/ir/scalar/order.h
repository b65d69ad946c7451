#pragma once

#include "core/ir/scalar/format.h"

/// The order of floats (docs/adr/0011-order.md).
namespace isoshard::scalar {

/// IEEE 754-2019 maximum: nan if either is, and +0 above -0.
template <typename T>
ISOSHARD_SCALAR T larger(T x, T y) {
  if (!(x == x) || !(y == y)) return canonical_nan<T>();
  if (x == y) return x == 0 ? x + y : x;
  return x > y ? x : y;
}

/// The minimum as the negated maximum of negated numbers.
template <typename T>
ISOSHARD_SCALAR T smaller(T x, T y) {
  return canonical(-larger(-x, -y));
}

/// 1, -1, or x itself where it is ±0; nan of nan.
template <typename T>
ISOSHARD_SCALAR T sign_of(T x) {
  if (!(x == x)) return canonical_nan<T>();
  return x > 0 ? T(1) : x < 0 ? T(-1) : x;
}

/// Whether x comes before y in a list that falls; nan is the largest number.
template <typename T>
ISOSHARD_SCALAR bool falls(T x, T y) {
  if (!(y == y)) return false;
  return !(x == x) || x > y;
}

/// Whether x is neither nan nor infinite.
template <typename T>
ISOSHARD_SCALAR bool is_number(T x) {
  return x - x == 0;
}

}  // namespace isoshard::scalar
