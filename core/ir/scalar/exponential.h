#pragma once

#include "core/ir/scalar/format.h"

/// exp and the parts of it that logistic and tanh share. Written without branches, so that loops over it vectorise,
/// and with explicit fused multiply-adds only, so that every compiler and instruction set gives the same bits.
namespace isoshard::scalar {

/// A number as the unevaluated sum of a leading part and a small correction.
template <typename T>
struct Pair {
  T high;
  T low;
};

/// 2^k as its two halves' product: both factors are normal for any k that exp can meet.
template <typename T>
struct PowerOfTwo {
  T first;
  T second;
};

/// exp(x) = 2^k · (1 + q): the power and q, |q| < 0.42.
template <typename T>
struct ExpParts {
  PowerOfTwo<T> power;
  Pair<T> q;
};

/// 2^k from k + kToInteger, for k in the range of normal exponents.
template <typename T>
ISOSHARD_SCALAR T power_from_shifted(T shifted) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  return bits_as<T>(static_cast<Bits>((bits_as<Bits>(shifted) + F::kBias) << F::kMantissa));
}

/// 1 / n!; the Taylor polynomial is short enough on |r| <= ln(2) / 2 and needs no fitted constants.
inline constexpr double kInverseFactorial[] = {
    1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,
    1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0};

/// The sum over n = kFrom … kExpDegree of r^(n - kFrom) / n!, by Horner's rule.
template <int kFrom, typename T>
ISOSHARD_SCALAR T exp_tail(T r) {
  constexpr T kCoefficient = static_cast<T>(kInverseFactorial[kFrom]);
  if constexpr (kFrom == Format<T>::kExpDegree) {
    return kCoefficient;
  } else {
    return fused(exp_tail<kFrom + 1>(r), r, kCoefficient);
  }
}

/// The parts of exp(x) for kExpMin <= x <= kExpMax; elsewhere (NaN) the result is meaningless but harmless.
template <typename T>
ISOSHARD_SCALAR ExpParts<T> exp_parts(T x) {
  using F = Format<T>;
  const T k = fused(x, F::kLog2E, F::kToInteger) - F::kToInteger;
  const T first = fused(k, T(0.5), F::kToInteger);
  const T second = (k - (first - F::kToInteger)) + F::kToInteger;
  const T exact = fused(-k, F::kLn2High, x);  // no rounding: a multiple of x's or ln2's last bit below 1/2
  const T r = fused(-k, F::kLn2Low, exact);
  const T r_low = fused(-k, F::kLn2Low, exact - r);
  const T tail = (r * r) * exp_tail<2>(r);
  const T high = r + tail;
  const T low = ((r - high) + tail) + fused(r, r_low, r_low);
  return {{power_from_shifted(first), power_from_shifted(second)}, {high, low}};
}

/// exp(x) with a correction for kExpMin <= x <= kExpMax; the correction is lost where the result is subnormal.
template <typename T>
ISOSHARD_SCALAR Pair<T> exp_pair(T x) {
  const ExpParts<T> parts = exp_parts(x);
  const T high = T(1) + parts.q.high;
  const T low = ((T(1) - high) + parts.q.high) + parts.q.low;
  const T mantissa = high + low;
  const T rest = (high - mantissa) + low;
  return {(mantissa * parts.power.first) * parts.power.second, (rest * parts.power.first) * parts.power.second};
}

/// x limited to [low, high]; a NaN becomes `low`.
template <typename T>
ISOSHARD_SCALAR T limited(T x, T low, T high) {
  const T above = x > low ? x : low;
  return above < high ? above : high;
}

/// e^x within 0.66 ulp (0.8 where the result is subnormal); exp(-inf) = +0, exp(+inf) = +inf.
template <typename T>
ISOSHARD_SCALAR T exponential(T x) {
  using F = Format<T>;
  const T y = exp_pair(limited(x, F::kExpMin, F::kExpMax)).high;
  return x == x ? y : canonical_nan<T>();
}

}  // namespace isoshard::scalar
