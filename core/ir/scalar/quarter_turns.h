#pragma once

#include <cstdint>

#include "core/ir/scalar/exponential.h"

/// The angle that sine and cosine see: x less the nearest multiple of pi/2.
namespace isoshard::scalar {

/// x = quarters · pi/2 + (angle.high + angle.low), |angle| <= pi/4 and a little; relative error of the angle < 2^-60.
struct QuarterTurns {
  int quarters;  ///< modulo 4
  Pair<double> angle;
};

/// pi/2 as the sum of three doubles.
inline constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};

/// For 0 <= x < 2^40: subtracts k·pi/2 in three parts (W. J. Cody, W. Waite 1980), the first of them exactly.
ISOSHARD_SCALAR QuarterTurns moderate_quarter_turns(double x) {
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  const double shifted = fused(x, kTwoOverPi, Format<double>::kToInteger);
  const double k = shifted - Format<double>::kToInteger;
  const double first = fused(-k, kHalfPi[0], x);  // no rounding: a multiple of 2^-53 below 1
  const double second = k * kHalfPi[1];
  const double second_low = fused(k, kHalfPi[1], -second);
  const double sum = first - second;
  const double back = sum - first;
  const double sum_low = (first - (sum - back)) - (second + back);
  const double low = fused(-k, kHalfPi[2], sum_low - second_low);
  const double high = sum + low;
  return {static_cast<int>(bits_as<std::uint64_t>(shifted) & 3), {high, (sum - high) + low}};
}

/// 64 bits of 2/pi after the binary point, behind 64 zeros: bits 64·word to 64·word + 63.
ISOSHARD_SCALAR std::uint64_t two_over_pi_bits(int word) {
  // In the function, since nvcc gives a device no arrays of the namespace.
  static constexpr std::uint64_t kBits[] = {0,
                                            0xa2f9836e4e441529,
                                            0xfc2757d1f534ddc0,
                                            0xdb6295993c439041,
                                            0xfe5163abdebbc561,
                                            0xb7246e3a424dd2e0,
                                            0x06492eea09d1921c,
                                            0xfe1deb1cb129a73e,
                                            0xe88235f52ebb4484,
                                            0xe99c7026b45f7e41,
                                            0x3991d639835339f4,
                                            0x9c845f8bbdf9283b,
                                            0x1ff897ffde05980f,
                                            0xef2f118b5a0a6d1f,
                                            0x6d367ecf27cb09b7,
                                            0x4f463f669e5fea2d,
                                            0x7527bac7ebe5f17b,
                                            0x3d0739f78a5292ea,
                                            0x6bfb5fb11f8d5d08,
                                            0x56033046fc7b6bab,
                                            0xf0cfbc209af4361d};
  return kBits[word];
}

__extension__ typedef unsigned __int128 Wide;

/// 64 bits of the same from bit `position` on.
ISOSHARD_SCALAR std::uint64_t two_over_pi_word(int position) {
  const int word = position / 64, bit = position % 64;
  const std::uint64_t left = two_over_pi_bits(word) << bit;
  return bit == 0 ? left : left | two_over_pi_bits(word + 1) >> (64 - bit);
}

/// For finite x >= 2^40: multiplies by the 192 bits of 2/pi that matter modulo 4 (M. H. Payne, R. N. Hanek 1983).
ISOSHARD_SCALAR QuarterTurns huge_quarter_turns(double x) {
  const std::uint64_t bits = bits_as<std::uint64_t>(x);
  const std::uint64_t digits = (bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
  const int position = static_cast<int>(bits >> 52) - 1075 + 62;  // earlier bits give multiples of 4
  const Wide low = Wide{digits} * two_over_pi_word(position + 128);
  const Wide middle = Wide{digits} * two_over_pi_word(position + 64) + static_cast<std::uint64_t>(low >> 64);
  const std::uint64_t top = digits * two_over_pi_word(position) + static_cast<std::uint64_t>(middle >> 64);
  const std::uint64_t next = static_cast<std::uint64_t>(middle), last = static_cast<std::uint64_t>(low);
  // top : next : last is x·2/pi modulo 4 with two bits before the point; the fraction as a signed number of 128 bits.
  Wide fraction = Wide{top << 2 | next >> 62} << 64 | (next << 2 | last >> 62);
  const bool above_half = fraction >> 127 != 0;
  if (above_half) fraction = Wide{0} - fraction;
  int zeros = 0;
  for (; fraction >> 127 == 0 && zeros < 127; ++zeros) fraction <<= 1;
  const double scale = bits_as<double>(static_cast<std::uint64_t>(1023 - 53 - zeros) << 52);
  const double high = static_cast<double>(static_cast<std::uint64_t>(fraction >> 75)) * scale;
  const double rest = static_cast<double>(static_cast<std::uint64_t>(fraction >> 22) & ((std::uint64_t{1} << 53) - 1));
  const double low_part = rest * scale * 0x1p-53;
  const double angle = high * kHalfPi[0];
  const double angle_low = fused(high, kHalfPi[0], -angle) + (high * kHalfPi[1] + low_part * kHalfPi[0]);
  const double sum = angle + angle_low;
  const double sum_low = (angle - sum) + angle_low;
  const int quarters = static_cast<int>((top >> 62) + (above_half ? 1 : 0)) & 3;
  return {quarters, {above_half ? -sum : sum, above_half ? -sum_low : sum_low}};
}

/// For any finite x >= 0; meaningless but harmless for infinity and NaN.
ISOSHARD_SCALAR QuarterTurns quarter_turns(double x) {
  if (x < 0x1p40) return moderate_quarter_turns(x);
  return huge_quarter_turns(x - x == 0 ? x : 0x1p1023);
}

}  // namespace isoshard::scalar
