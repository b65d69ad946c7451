#pragma once

#include <cstdint>

#include "core/ir/scalar/host_device.h"

namespace isoshard::scalar {

/// What the functions need to know about a binary floating-point type.
template <typename T>
struct Format;

template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int kMantissa = 23;  ///< stored bits
  static constexpr Bits kBias = 127;
  static constexpr float kToInteger = 0x1.8p23f;  ///< adding it rounds |x| < 2^22 to an integer, left in the low bits
  static constexpr float kMinNormal = 0x1p-126f;
  static constexpr float kLn2High = 0x1.62e43p-1f;   ///< ln 2 rounded to float
  static constexpr float kLn2Low = -0x1.05c61p-29f;  ///< ln 2 - kLn2High
  static constexpr float kLog2E = 0x1.715476p+0f;
  static constexpr float kExpMax = 89.0f;    ///< from here on exp is +inf
  static constexpr float kExpMin = -105.0f;  ///< up to here exp is +0
  static constexpr float kTanhOne = 9.25f;   ///< from here on tanh rounds to 1
  static constexpr int kExpDegree = 7;       ///< of the Taylor polynomial on |r| <= ln(2) / 2
  static constexpr int kLogTerms = 4;        ///< of the atanh series after its first
};

template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int kMantissa = 52;
  static constexpr Bits kBias = 1023;
  static constexpr double kToInteger = 0x1.8p52;
  static constexpr double kMinNormal = 0x1p-1022;
  static constexpr double kLn2High = 0x1.62e42fefa39efp-1;
  static constexpr double kLn2Low = 0x1.abc9e3b39803fp-56;
  static constexpr double kLog2E = 0x1.71547652b82fep+0;
  static constexpr double kExpMax = 710.0;
  static constexpr double kExpMin = -746.0;
  static constexpr double kTanhOne = 19.25;
  static constexpr int kExpDegree = 13;
  static constexpr int kLogTerms = 11;
};

/// The one NaN that results carry: positive, quiet, no payload.
template <typename T>
ISOSHARD_SCALAR constexpr T canonical_nan() {
  using F = Format<T>;
  constexpr typename F::Bits kOne = 1;
  return bits_as<T>(static_cast<typename F::Bits>((((F::kBias * 2 + 1) << 1) | kOne) << (F::kMantissa - 1)));
}

/// x, or canonical_nan() for any NaN.
template <typename T>
ISOSHARD_SCALAR constexpr T canonical(T x) {
  return x == x ? x : canonical_nan<T>();
}

/// |x|, also of NaN and -0.
template <typename T>
ISOSHARD_SCALAR constexpr T magnitude(T x) {
  using Bits = typename Format<T>::Bits;
  return bits_as<T>(static_cast<Bits>(static_cast<Bits>(bits_as<Bits>(x) << 1) >> 1));
}

/// The sign of `sign` on `x`, which must not be negative.
template <typename T>
ISOSHARD_SCALAR constexpr T with_sign(T x, T sign) {
  using Bits = typename Format<T>::Bits;
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (sizeof(T) * 8 - 1));
  return bits_as<T>(static_cast<Bits>(bits_as<Bits>(x) | (bits_as<Bits>(sign) & kSign)));
}

}  // namespace isoshard::scalar
