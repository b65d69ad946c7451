#pragma once

#include "core/ir/scalar/erf_inv.h"

namespace isoshard::scalar {

/// The arctangent of |t| <= tan(pi / 8), by a polynomial in t^2 (interpolated at Chebyshev points by mpmath 1.4.1).
ISOSHARD_SCALAR double central_arctangent(double t) {
  constexpr double kTail[] = {0.016306411149839467045, -0.034590146534843067838, 0.045523952537842950206,
                              -0.05230639915011123936, 0.058789556853308305717,  -0.066664273508293209192,
                              0.076922965213038554944, -0.090909087589137113627, 0.11111111105272353239,
                              -0.14285714285661124667, 0.19999999999999809597,   -0.33333333333333331483};
  const double square = t * t;
  return fused(t * square, horner(kTail, square), t);
}

/// The angle of the point (x, y) within 3 ulp, with the special values of IEEE 754's atan2: the sign is that of y, also
/// of -0; ±0 or ±pi on the axis, also at its origin; odd multiples of pi / 4 between infinities.
ISOSHARD_SCALAR double atan2(double y, double x) {
  constexpr double kInfinity = bits_as<double>(std::uint64_t{0x7ff0000000000000});
  constexpr double kPi = 0x1.921fb54442d18p+1, kPiLow = 0x1.1a62633145c07p-53;
  constexpr double kEighth = 0.41421356237309504880;  // tan(pi / 8)
  const bool both_infinite = magnitude(x) == kInfinity && magnitude(y) == kInfinity;
  const double scale = magnitude(x) > 0x1p1000 || magnitude(y) > 0x1p1000 ? 0x1p-60 : 1.0;
  const double across = both_infinite ? 1.0 : magnitude(x) * scale, up = both_infinite ? 1.0 : magnitude(y) * scale;
  const double low = up < across ? up : across, high = up < across ? across : up;
  // Of an angle below pi / 4: itself, or what it lacks of pi / 4.
  const double ratio = high > 0 ? low / high : 0.0;
  const bool far = ratio > kEighth;
  const double turned = high < kInfinity && high > 0 ? (low - high) / (low + high) : 0.0;
  const double part = central_arctangent(far ? turned : ratio);
  const double small = far ? (kPi / 4 + (part + kPiLow / 4)) : part;
  const double steep = up > across ? kPi / 2 - (small - kPiLow / 2) : small;
  const bool left = bits_as<std::uint64_t>(x) >> 63 != 0;
  const double angle = left ? kPi - (steep - kPiLow) : steep;
  return x == x && y == y ? with_sign(angle, y) : canonical_nan<double>();
}

/// In double and rounded once: within 0.51 ulp.
ISOSHARD_SCALAR float atan2(float y, float x) {
  return canonical(static_cast<float>(atan2(static_cast<double>(y), static_cast<double>(x))));
}

}  // namespace isoshard::scalar
