#pragma once

#include "core/ir/scalar/format.h"

/// Floats of 16 and 8 bits, which are computed as wider numbers that are rounded back after every op.
namespace isoshard::scalar {

/// The upper half of an f32: 8 significant bits.
struct Bf16 {
  using Bits = std::uint16_t;
  static constexpr int kMantissa = 7;  ///< stored bits
  static constexpr int kBias = 127;
  static constexpr int kMaxExponent = 127;
  static constexpr bool kInfinite = true;  ///< the largest exponent field is inf and nan
};

/// IEEE binary16: 11 significant bits.
struct F16 {
  using Bits = std::uint16_t;
  static constexpr int kMantissa = 10;
  static constexpr int kBias = 15;
  static constexpr int kMaxExponent = 15;
  static constexpr bool kInfinite = true;
};

/// E4M3 of P. Micikevicius et al. 2022 (OCP 8-bit floating point; float8_e4m3fn of ml_dtypes): up to 448, no inf; all
/// ones are nan.
struct F8E4M3 {
  using Bits = std::uint8_t;
  static constexpr int kMantissa = 3;
  static constexpr int kBias = 7;
  static constexpr int kMaxExponent = 8;
  static constexpr bool kInfinite = false;
};

/// E5M2 of the same: an F16 with fewer digits (float8_e5m2 of ml_dtypes).
struct F8E5M2 {
  using Bits = std::uint8_t;
  static constexpr int kMantissa = 2;
  static constexpr int kBias = 15;
  static constexpr int kMaxExponent = 15;
  static constexpr bool kInfinite = true;
};

/// The exponent of the least normal number.
template <typename Narrow>
inline constexpr int kMinExponent = 1 - Narrow::kBias;

/// The bits of the largest finite number; where there is no inf, one below those of nan.
template <typename Narrow>
inline constexpr std::uint32_t kLargestBits = (static_cast<std::uint32_t>(Narrow::kMaxExponent + Narrow::kBias + 1)
                                               << Narrow::kMantissa) -
                                              (Narrow::kInfinite ? 1 : 2);

/// 2^exponent, a normal number of T.
template <typename T>
ISOSHARD_SCALAR constexpr T power_of_two(int exponent) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  return bits_as<T>(static_cast<Bits>(static_cast<Bits>(exponent + static_cast<int>(F::kBias)) << F::kMantissa));
}

/// The value of the narrow format nearest to x, ties to even, as a T; beyond its range ±inf, or nan where it has none.
template <typename Narrow, typename T>
ISOSHARD_SCALAR T narrowed(T x) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  constexpr int kDropped = F::kMantissa - Narrow::kMantissa;
  constexpr Bits kHalf = (Bits{1} << (kDropped - 1)) - 1;
  constexpr Bits kMask = static_cast<Bits>(~((Bits{1} << kDropped) - 1));
  // The last bit of a sum with this number is that of the narrow format's subnormal numbers.
  constexpr T kAlign = power_of_two<T>(kMinExponent<Narrow> - Narrow::kMantissa + F::kMantissa);
  constexpr T kUnit = power_of_two<T>(Narrow::kMaxExponent - Narrow::kMantissa);  // of the largest numbers
  constexpr T kLargest = kUnit * T((1 << Narrow::kMantissa) + (kLargestBits<Narrow> & ((1U << Narrow::kMantissa) - 1)));
  const T size = magnitude(x);
  const Bits bits = bits_as<Bits>(size);
  const T normal = bits_as<T>(static_cast<Bits>((bits + kHalf + ((bits >> kDropped) & 1)) & kMask));
  const T subnormal = (size + kAlign) - kAlign;
  const T rounded = size < power_of_two<T>(kMinExponent<Narrow>) ? subnormal : normal;
  constexpr T kInfinity = bits_as<T>(static_cast<Bits>((F::kBias * 2 + 1) << F::kMantissa));
  const bool fits = rounded <= kLargest;
  const T limited = fits ? rounded : kInfinity;
  return x == x && (fits || Narrow::kInfinite) ? with_sign(limited, x) : canonical_nan<T>();
}

/// The bits of a value that narrowed() returned; NaN is the positive quiet one.
template <typename Narrow>
ISOSHARD_SCALAR typename Narrow::Bits narrow_bits(float x) {
  using F = Format<float>;
  using Bits = typename Narrow::Bits;
  constexpr int kDropped = F::kMantissa - Narrow::kMantissa;
  constexpr std::uint32_t kQuiet = Narrow::kInfinite ? 1U << (Narrow::kMantissa - 1) : 0;
  constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - Narrow::kBias) << Narrow::kMantissa;
  if (x != x) return static_cast<Bits>((kLargestBits<Narrow> + 1) | kQuiet);
  const std::uint32_t sign = (bits_as<std::uint32_t>(x) >> 31) << (8 * sizeof(Bits) - 1);
  const float size = magnitude(x);
  std::uint32_t low = (bits_as<std::uint32_t>(size) >> kDropped) - kRebias;
  if constexpr (Narrow::kBias < 127) {
    if (size < power_of_two<float>(kMinExponent<Narrow>)) {
      low = static_cast<std::uint32_t>(size * power_of_two<float>(Narrow::kMantissa - kMinExponent<Narrow>));
    }
    if (!(size < power_of_two<float>(Narrow::kMaxExponent + 1))) low = kLargestBits<Narrow> + 1;
  }
  return static_cast<Bits>(sign | low);
}

/// The value of these bits; NaN is the canonical one.
template <typename Narrow>
ISOSHARD_SCALAR float widened(typename Narrow::Bits bits) {
  using F = Format<float>;
  constexpr std::uint32_t kSign = 1U << (8 * sizeof(typename Narrow::Bits) - 1);
  constexpr std::uint32_t kSpecial = kLargestBits<Narrow> + 1;  // inf, or the nan of a format without
  const std::uint32_t magnitude_bits = bits & (kSign - 1);
  const float sign = (bits & kSign) != 0 ? -0.0f : 0.0f;
  if (magnitude_bits > kSpecial || (!Narrow::kInfinite && magnitude_bits == kSpecial)) return canonical_nan<float>();
  float size = bits_as<float>(magnitude_bits << (F::kMantissa - Narrow::kMantissa));
  if constexpr (Narrow::kBias < 127) {
    size *= power_of_two<float>(127 - Narrow::kBias);  // exact; it also makes subnormal numbers right
    if (magnitude_bits == kSpecial) size = bits_as<float>(0x7f800000U);
  }
  return with_sign(size, sign);
}

}  // namespace isoshard::scalar
