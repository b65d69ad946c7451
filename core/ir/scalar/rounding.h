#pragma once

#include <cstdint>

#include "core/ir/scalar/format.h"

namespace isoshard::scalar {

/// The largest integer that is not above x; floor(-0) = -0, infinities are themselves.
template <typename T>
ISOSHARD_SCALAR T floor(T x) {
  using F = Format<T>;
  constexpr T kInteger = static_cast<T>(typename F::Bits{1} << F::kMantissa);  // from here on all numbers are integers
  const T size = magnitude(x);
  const T nearest = with_sign((size + kInteger) - kInteger, x);
  const T below = nearest > x ? nearest - T(1) : nearest;
  return size < kInteger ? below : canonical(x);
}

/// The integer nearest to x, the even one of two; round(-0.3) = -0, infinities are themselves.
template <typename T>
ISOSHARD_SCALAR T round_nearest_even(T x) {
  using F = Format<T>;
  constexpr T kInteger = static_cast<T>(typename F::Bits{1} << F::kMantissa);  // from here on all numbers are integers
  const T size = magnitude(x);
  const T nearest = with_sign((size + kInteger) - kInteger, x);
  return size < kInteger ? nearest : canonical(x);
}

/// The integer nearest to x, of two the one away from zero; round(-0.3) = -0, infinities are themselves.
template <typename T>
ISOSHARD_SCALAR T round_nearest_afz(T x) {
  const T size = magnitude(x), below = floor(size);
  const T nearest = size - below >= T(0.5) ? below + T(1) : below;  // the difference is exact
  return x - x == T(0) ? with_sign(nearest, x) : canonical(x);
}

/// The fraction bits of a magnitude with their leading one, and the exponent in steps of the smallest subnormal number.
template <typename T>
struct Scaled {
  std::uint64_t digits;
  int exponent;
};

template <typename T>
ISOSHARD_SCALAR Scaled<T> scaled(T size) {
  using F = Format<T>;
  const std::uint64_t bits = bits_as<typename F::Bits>(size);
  const std::uint64_t one = std::uint64_t{1} << F::kMantissa;
  const int field = static_cast<int>(bits >> F::kMantissa);
  const std::uint64_t fraction = bits & (one - 1);
  return field == 0 ? Scaled<T>{fraction, 1} : Scaled<T>{fraction | one, field};
}

/// x - y·trunc(x / y), exact, with the sign of x (IEEE 754's fmod): NaN where y is 0 or x infinite, x where y is.
template <typename T>
ISOSHARD_SCALAR T remainder(T x, T y) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  constexpr int kSpare = 63 - F::kMantissa;  // free bits above the digits of a 64-bit word
  const T infinity = bits_as<T>(static_cast<Bits>((F::kBias * 2 + 1) << F::kMantissa));
  const T size = magnitude(x), modulus = magnitude(y);
  if (!(size < infinity) || !(modulus > T(0))) return canonical_nan<T>();
  if (size < modulus) return x;
  const Scaled<T> a = scaled(size), b = scaled(modulus);
  std::uint64_t rest = a.digits % b.digits;
  for (int steps = a.exponent - b.exponent; steps > 0; steps -= kSpare) {
    rest = (rest << (steps < kSpare ? steps : kSpare)) % b.digits;
  }
  int exponent = b.exponent;
  for (; exponent > 1 && rest >> F::kMantissa == 0 && rest != 0; --exponent) rest <<= 1;
  if (rest == 0) exponent = 1;
  const std::uint64_t bits = (static_cast<std::uint64_t>(exponent - 1) << F::kMantissa) + rest;
  return with_sign(bits_as<T>(static_cast<Bits>(bits)), x);
}

}  // namespace isoshard::scalar
