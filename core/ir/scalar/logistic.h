#pragma once

#include "core/ir/scalar/exponential.h"

namespace isoshard::scalar {

/// (numerator.high + numerator.low) / (denominator.high + denominator.low) with one rounding but for a few thousandths
/// of an ulp.
template <typename T>
ISOSHARD_SCALAR T quotient(Pair<T> numerator, Pair<T> denominator) {
  const T inverse = T(1) / denominator.high;
  const T estimate = numerator.high * inverse;
  const T exact_rest = fused(-estimate, denominator.high, numerator.high);
  const T rest = exact_rest + fused(-estimate, denominator.low, numerator.low);
  return fused(rest, inverse, estimate);
}

/// 1 / (1 + e^-x) within 0.8 ulp, also where it is tiny (e^x for x -> -inf); logistic(±0) = 0.5.
template <typename T>
ISOSHARD_SCALAR T logistic(T x) {
  using F = Format<T>;
  const Pair<T> z = exp_pair(limited(-magnitude(x), F::kExpMin, T(0)));  // <= 1
  const T high = T(1) + z.high;
  const T low = ((T(1) - high) + z.high) + z.low;
  const bool negative = x < T(0);
  const T top_high = negative ? z.high : T(1);
  const T top_low = negative ? z.low : T(0);
  const T y = quotient(Pair<T>{top_high, top_low}, Pair<T>{high, low});
  return x == x ? y : canonical_nan<T>();
}

}  // namespace isoshard::scalar
