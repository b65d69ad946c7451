#pragma once

#include "core/ir/scalar/format.h"

/// The 16-bit floats bf16 and f16, which are computed as wider numbers that are rounded back after every op.
namespace isoshard::scalar {

/// The upper half of an f32: 8 significant bits.
struct Bf16 {
  static constexpr int kMantissa = 7;  ///< stored bits
  static constexpr int kMinExponent = -126;
  static constexpr int kMaxExponent = 127;
};

/// IEEE binary16: 11 significant bits.
struct F16 {
  static constexpr int kMantissa = 10;
  static constexpr int kMinExponent = -14;
  static constexpr int kMaxExponent = 15;
};

/// 2^exponent, a normal number of T.
template <typename T>
ISOSHARD_SCALAR constexpr T power_of_two(int exponent) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  return bits_as<T>(static_cast<Bits>(static_cast<Bits>(exponent + static_cast<int>(F::kBias)) << F::kMantissa));
}

/// The value of the narrow format nearest to x, ties to even, as a T; beyond its range ±inf.
template <typename Narrow, typename T>
ISOSHARD_SCALAR T narrowed(T x) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  constexpr int kDropped = F::kMantissa - Narrow::kMantissa;
  constexpr Bits kHalf = (Bits{1} << (kDropped - 1)) - 1;
  constexpr Bits kMask = static_cast<Bits>(~((Bits{1} << kDropped) - 1));
  // The last bit of a sum with this number is that of the narrow format's subnormal numbers.
  constexpr T kAlign = power_of_two<T>(Narrow::kMinExponent - Narrow::kMantissa + F::kMantissa);
  constexpr T kMaxPower = power_of_two<T>(Narrow::kMaxExponent);
  const T size = magnitude(x);
  const Bits bits = bits_as<Bits>(size);
  const T normal = bits_as<T>(static_cast<Bits>((bits + kHalf + ((bits >> kDropped) & 1)) & kMask));
  const T subnormal = (size + kAlign) - kAlign;
  const T rounded = size < power_of_two<T>(Narrow::kMinExponent) ? subnormal : normal;
  constexpr T kInfinity = bits_as<T>(static_cast<Bits>((F::kBias * 2 + 1) << F::kMantissa));
  const T limited = rounded * T(0.5) < kMaxPower ? rounded : kInfinity;
  return x == x ? with_sign(limited, x) : canonical_nan<T>();
}

/// The 16 bits of a value that narrowed() returned; NaN is the positive quiet one.
template <typename Narrow>
ISOSHARD_SCALAR std::uint16_t narrow_bits(float x) {
  using F = Format<float>;
  constexpr int kDropped = F::kMantissa - Narrow::kMantissa;
  const std::uint32_t bits = bits_as<std::uint32_t>(x);
  const std::uint32_t sign = (bits >> 16) & 0x8000;
  const float size = magnitude(x);
  constexpr std::uint32_t kSpecial = ((2 * Narrow::kMaxExponent + 1) << Narrow::kMantissa);  // inf
  constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - Narrow::kMaxExponent) << Narrow::kMantissa;
  std::uint32_t low = (bits_as<std::uint32_t>(size) >> kDropped) - kRebias;
  if constexpr (Narrow::kMaxExponent < 127) {
    if (size < power_of_two<float>(Narrow::kMinExponent)) {
      low = static_cast<std::uint32_t>(size * power_of_two<float>(Narrow::kMantissa - Narrow::kMinExponent));
    }
    if (!(size < power_of_two<float>(Narrow::kMaxExponent + 1))) low = kSpecial;
  }
  if (x != x) return static_cast<std::uint16_t>(kSpecial | (1U << (Narrow::kMantissa - 1)));
  return static_cast<std::uint16_t>(sign | low);
}

/// The value of 16 bits; NaN is the canonical one.
template <typename Narrow>
ISOSHARD_SCALAR float widened(std::uint16_t bits) {
  using F = Format<float>;
  const std::uint32_t magnitude_bits = bits & 0x7fffU;
  constexpr std::uint32_t kSpecial = ((2 * Narrow::kMaxExponent + 1) << Narrow::kMantissa);
  const float sign = (bits & 0x8000U) != 0 ? -0.0f : 0.0f;
  if (magnitude_bits > kSpecial) return canonical_nan<float>();
  float size = bits_as<float>(magnitude_bits << (F::kMantissa - Narrow::kMantissa));
  if constexpr (Narrow::kMaxExponent < 127) {
    size *= power_of_two<float>(127 - Narrow::kMaxExponent);  // exact; it also makes subnormal numbers right
    if (magnitude_bits == kSpecial) size = bits_as<float>(0x7f800000U);
  }
  return with_sign(size, sign);
}

}  // namespace isoshard::scalar
