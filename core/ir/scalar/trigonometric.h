#pragma once

#include <cstddef>

#include "core/ir/scalar/quarter_turns.h"

namespace isoshard::scalar {

/// (-1)^n / (2n + kOdd)! for n = 0, 1, …
inline constexpr double kSineSeries[] = {1.0,
                                         -1.0 / 6,
                                         1.0 / 120,
                                         -1.0 / 5040,
                                         1.0 / 362880,
                                         -1.0 / 39916800,
                                         1.0 / 6227020800.0,
                                         -1.0 / 1307674368000.0,
                                         1.0 / 355687428096000.0};
inline constexpr double kCosineSeries[] = {1.0,
                                           -1.0 / 2,
                                           1.0 / 24,
                                           -1.0 / 720,
                                           1.0 / 40320,
                                           -1.0 / 3628800,
                                           1.0 / 479001600.0,
                                           -1.0 / 87178291200.0,
                                           1.0 / 20922789888000.0,
                                           -1.0 / 6402373705728000.0};

/// The terms of a series from kFrom on, divided by z^kFrom, by Horner's rule. The coefficients are a template's
/// argument: a device has the values of constants, not their addresses.
template <const auto& kSeries, std::size_t kFrom>
ISOSHARD_SCALAR double series(double z) {
  constexpr double kCoefficient = kSeries[kFrom];
  if constexpr (kFrom == sizeof(kSeries) / sizeof(double) - 1) {
    return kCoefficient;
  } else {
    return fused(series<kSeries, kFrom + 1>(z), z, kCoefficient);
  }
}

/// sin and cos of an angle of at most pi/4 and a little; Taylor series, short enough there.
ISOSHARD_SCALAR double small_sine(Pair<double> angle) {
  const double x = angle.high, z = x * x;
  return x + fused(x * z, series<kSineSeries, 1>(z), angle.low * (1.0 - 0.5 * z));
}
ISOSHARD_SCALAR double small_cosine(Pair<double> angle) {
  const double x = angle.high, z = x * x, half = 0.5 * z;
  const double high = 1.0 - half;
  return high + (((1.0 - high) - half) + fused(z * z, series<kCosineSeries, 2>(z), -x * angle.low));
}

/// sin(a + quarters · pi/2).
ISOSHARD_SCALAR double sine_of(QuarterTurns x, int quarters) {
  const int turn = (x.quarters + quarters) & 3;
  const double sine = small_sine(x.angle), cosine = small_cosine(x.angle);
  const double size = (turn & 1) != 0 ? cosine : sine;
  return (turn & 2) != 0 ? -size : size;
}

/// Sine and cosine within 1 ulp for every finite x, also where they are near 0; NaN for infinities. Sine is odd and
/// cosine even, bit for bit; sine(-0) = -0.
ISOSHARD_SCALAR double sine(double x) {
  const double y = sine_of(quarter_turns(magnitude(x)), 0);
  const double odd = x < 0 || bits_as<std::uint64_t>(x) >> 63 != 0 ? -y : y;
  return x - x == 0 ? odd : canonical_nan<double>();
}
ISOSHARD_SCALAR double cosine(double x) {
  const double y = sine_of(quarter_turns(magnitude(x)), 1);
  return x - x == 0 ? y : canonical_nan<double>();
}

/// In double and rounded once: within 0.51 ulp.
ISOSHARD_SCALAR float sine(float x) { return canonical(static_cast<float>(sine(static_cast<double>(x)))); }
ISOSHARD_SCALAR float cosine(float x) { return canonical(static_cast<float>(cosine(static_cast<double>(x)))); }

}  // namespace isoshard::scalar
