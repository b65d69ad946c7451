#pragma once

#include "core/ir/scalar/exponential.h"
#include "core/ir/scalar/rounding.h"

namespace isoshard::scalar {

/// The terms of 2·atanh(s) / s from 2·z^kFrom / (2·kFrom + 1) on, divided by z^kFrom, where z = s^2 <= 0.0295.
template <int kFrom>
ISOSHARD_SCALAR double long_log_tail(double z) {
  constexpr double kCoefficient = 2.0 / (2 * kFrom + 1);
  if constexpr (kFrom == 13) {
    return kCoefficient;
  } else {
    return fused(long_log_tail<kFrom + 1>(z), z, kCoefficient);
  }
}

ISOSHARD_SCALAR Pair<double> exact_sum(double a, double b) {
  const double sum = a + b, back = sum - a;
  return {sum, (a - (sum - back)) + (b - back)};
}

ISOSHARD_SCALAR Pair<double> product(Pair<double> a, Pair<double> b) {
  const double high = a.high * b.high;
  return {high, fused(a.high, b.high, -high) + (a.high * b.low + a.low * b.high)};
}

/// log x with a correction for finite x > 0; relative error < 2^-63.
ISOSHARD_SCALAR Pair<double> log_pair(double x) {
  // x = 2^k · m with sqrt(1/2) <= m < sqrt(2).
  constexpr std::uint64_t kSqrtHalfBits = 0x3fe6a09e667f3bcd, kFraction = (std::uint64_t{1} << 52) - 1;
  const bool tiny = x < Format<double>::kMinNormal;
  const std::uint64_t bits =
      bits_as<std::uint64_t>(tiny ? x * 0x1p54 : x) + (bits_as<std::uint64_t>(1.0) - kSqrtHalfBits);
  const double k = static_cast<double>(static_cast<int>(bits >> 52) - 1023 - (tiny ? 54 : 0));
  const double m = bits_as<double>((bits & kFraction) + kSqrtHalfBits);
  // log m = 2s + 2/3·s·z + s·z^2·tail, s = f / (2 + f), z = s^2; the first two terms as pairs.
  const double f = m - 1;
  const double bottom = 2 + f, bottom_low = f - (bottom - 2);
  const double s_high = f / bottom;
  const Pair<double> s{s_high, (fused(-s_high, bottom, f) - s_high * bottom_low) / bottom};
  const Pair<double> z = product(s, s);
  const Pair<double> cubic = product(product(s, z), Pair<double>{0x1.5555555555555p-1, 0x1.5555555555555p-55});
  const double tail = (s.high * (z.high * z.high)) * long_log_tail<2>(z.high);
  const double whole = k * Format<double>::kLn2High;
  const double whole_low = fused(k, Format<double>::kLn2High, -whole) + k * Format<double>::kLn2Low;
  const Pair<double> first = exact_sum(whole, 2 * s.high);
  const Pair<double> second = exact_sum(first.high, cubic.high);
  const double low = (first.low + second.low) + (((whole_low + 2 * s.low) + cubic.low) + tail);
  const double high = second.high + low;
  return {high, (second.high - high) + low};
}

/// x^y for finite x > 0 and finite y.
ISOSHARD_SCALAR double positive_power(double x, double y) {
  const Pair<double> log = log_pair(x);
  const double exponent = y * log.high;
  const double exact_rest = fused(y, log.high, -exponent) + y * log.low;
  const double rest = magnitude(exponent) < 800 ? exact_rest : 0;
  const ExpParts<double> parts = exp_parts(limited(exponent, Format<double>::kExpMin, Format<double>::kExpMax));
  const double high = 1 + parts.q.high;
  const double low = ((1 - high) + parts.q.high) + (parts.q.low + rest * high);
  return ((high + low) * parts.power.first) * parts.power.second;
}

/// x^y within 1.2 ulp (2 where subnormal), with the special values of IEEE 754's pow: x^0 = 1^y = 1 also for NaN,
/// (-1)^±inf = 1, NaN for negative x and y that is no integer; odd y keep the sign of x, also of -0 and -inf.
ISOSHARD_SCALAR double power(double x, double y) {
  constexpr double kInfinity = bits_as<double>(std::uint64_t{0x7ff0000000000000});
  const double size = magnitude(x), steps = magnitude(y);
  const bool whole = floor(steps) == steps;
  const bool odd = whole && floor(steps * 0.5) * 2 != steps;
  const bool usual = size > 0 && size < kInfinity && steps < kInfinity;
  // Beyond 2^66 every power but those of 1 is 0 or infinite, and products stay finite.
  const double ordinary = positive_power(usual ? size : 1.0, usual ? limited(y, -0x1p66, 0x1p66) : 0.0);
  const bool grows = (size > 1) == (y > 0);
  const double extreme = size == 1 ? 1.0 : grows ? kInfinity : 0.0;
  const double value = usual ? ordinary : extreme;
  const bool negative = bits_as<std::uint64_t>(x) >> 63 != 0;
  const bool undefined = x < 0 && size < kInfinity && !whole;
  const double signed_value = negative && odd ? -value : value;
  const double known = undefined || x != x || y != y ? canonical_nan<double>() : signed_value;
  return x == 1 || y == 0 ? 1.0 : known;
}

/// In double and rounded once: within 0.51 ulp.
ISOSHARD_SCALAR float power(float x, float y) {
  return canonical(static_cast<float>(power(static_cast<double>(x), static_cast<double>(y))));
}

}  // namespace isoshard::scalar
