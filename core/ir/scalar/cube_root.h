#pragma once

#include "core/ir/scalar/erf_inv.h"
#include "core/ir/scalar/power.h"

namespace isoshard::scalar {

/// The cube root of 1 <= m < 8: a polynomial within 1/280, two steps of Halley's method, and a step of Newton's with an
/// exact remainder.
ISOSHARD_SCALAR double cube_root_of_digits(double m) {
  constexpr double kStart[] = {-0.00033101664453966361, 0.007788524154553458, -0.073060698725142837,
                               0.42476134594628949, 0.64432815028798151};
  double y = horner(kStart, m);
  for (int i = 0; i < 2; ++i) {
    const double cube = y * y * y;
    y = y - y * ((cube - m) / (2.0 * cube + m));
  }
  const Pair<double> root{y, 0.0};
  const Pair<double> cube = product(product(root, root), root);
  return y - ((cube.high - m) + cube.low) / (3.0 * (y * y));
}

/// The cube root within 0.6 ulp; odd bit for bit, itself at ±0 and ±inf.
ISOSHARD_SCALAR double cbrt(double x) {
  constexpr double kInfinity = bits_as<double>(std::uint64_t{0x7ff0000000000000});
  constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
  const double size = magnitude(x);
  const bool tiny = size < Format<double>::kMinNormal;
  const std::uint64_t bits = bits_as<std::uint64_t>(tiny ? size * 0x1p54 : size);
  // size = 2^(3k) m with 1 <= m < 8; the exponent is at least 0 before the division, which rounds down then.
  const int exponent = static_cast<int>(bits >> 52) + (tiny ? 0 : 54);  // that of 2^-1077 is 0
  const int k = exponent / 3;
  const std::uint64_t above = static_cast<std::uint64_t>(exponent - 3 * k);
  const double m = bits_as<double>((bits & kFraction) | ((1023 + above) << 52));
  const double scale = bits_as<double>(static_cast<std::uint64_t>(k + 1023 - 359) << 52);
  const double root = cube_root_of_digits(m) * scale;
  const double y = size > 0 && size < kInfinity ? root : size;
  return x == x ? with_sign(y, x) : canonical_nan<double>();
}

/// In double and rounded once: within 0.51 ulp.
ISOSHARD_SCALAR float cbrt(float x) { return canonical(static_cast<float>(cbrt(static_cast<double>(x)))); }

}  // namespace isoshard::scalar
