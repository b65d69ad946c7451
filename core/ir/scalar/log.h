#pragma once

#include "core/ir/scalar/exponential.h"

namespace isoshard::scalar {

/// The terms of 2·atanh(s) / s from 2·z^kFrom / (2·kFrom + 1) on, divided by z^kFrom, where z = s^2 <= 0.0295.
template <int kFrom, typename T>
ISOSHARD_SCALAR T log_tail(T z) {
  constexpr T kCoefficient = static_cast<T>(2.0 / (2 * kFrom + 1));
  if constexpr (kFrom == Format<T>::kLogTerms) {
    return kCoefficient;
  } else {
    return fused(log_tail<kFrom + 1>(z), z, kCoefficient);
  }
}

/// Natural logarithm within 0.85 ulp; log(±0) = -inf, log(1) = +0, NaN below zero.
template <typename T>
ISOSHARD_SCALAR T log(T x) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  constexpr Bits kMantissaMask = (Bits{1} << F::kMantissa) - 1;
  constexpr T kSqrtHalf = static_cast<T>(0x1.6a09e667f3bcdp-1);
  constexpr Bits kSqrtHalfBits = bits_as<Bits>(kSqrtHalf);
  constexpr T kTwoToMantissa = static_cast<T>(Bits{1} << F::kMantissa);
  constexpr T kLift = kTwoToMantissa * T(2);  // makes any subnormal normal
  // x = 2^k · m with sqrt(1/2) <= m < sqrt(2).
  const bool tiny = x < F::kMinNormal;
  const T lifted = x * kLift;
  const T normal = tiny ? lifted : x;
  const Bits shifted = static_cast<Bits>(bits_as<Bits>(normal) + (bits_as<Bits>(T(1)) - kSqrtHalfBits));
  const T exponent = bits_as<T>(static_cast<Bits>((shifted >> F::kMantissa) | bits_as<Bits>(kTwoToMantissa)));
  const T k = (exponent - kTwoToMantissa) - static_cast<T>(F::kBias) - (tiny ? static_cast<T>(F::kMantissa + 1) : T(0));
  const T m = bits_as<T>(static_cast<Bits>((shifted & kMantissaMask) + kSqrtHalfBits));
  // log m = f - f^2/2 + s·(f^2/2 + tail), f = m - 1, s = f / (2 + f).
  const T f = m - T(1);
  const T s = f / (T(2) + f);
  const T half_square = (T(0.5) * f) * f;
  const T z = s * s;
  const T inner = fused(s, fused(log_tail<1>(z), z, half_square), k * F::kLn2Low);
  const T y = fused(k, F::kLn2High, f - (half_square - inner));
  const T infinity = bits_as<T>(static_cast<Bits>((F::kBias * 2 + 1) << F::kMantissa));
  const T at_zero = x == T(0) ? -infinity : y;
  const T at_infinity = x == infinity ? infinity : at_zero;
  return x >= T(0) ? at_infinity : canonical_nan<T>();
}

}  // namespace isoshard::scalar
