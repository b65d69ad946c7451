#pragma once

#include "core/ir/scalar/erf_inv.h"
#include "core/ir/scalar/power.h"

/// The error function, 2/sqrt(pi) times the integral of e^-t^2 from 0 to x, and what it lacks of 1. Both come from a
/// polynomial in x^2 where x is small and from (1 + 2x) e^x^2 erfc(x) beyond, which is nearly constant and a polynomial
/// in (x - 3)/(x + 3) (M. Shepherd, J. Laframboise 1981). The coefficients are interpolations at Chebyshev points, by
/// mpmath 1.4.1 with 80 digits.
namespace isoshard::scalar {

/// e^-x^2 for 0 <= x <= 28, with the rounding of the square made good.
ISOSHARD_SCALAR double bell(double x) {
  const double square = x * x, rest = fused(-x, x, square);
  const ExpParts<double> parts = exp_parts(limited(-square, Format<double>::kExpMin, 0.0));
  const double high = 1 + parts.q.high;
  const double low = ((1 - high) + parts.q.high) + (parts.q.low + rest * high);
  return ((high + low) * parts.power.first) * parts.power.second;
}

/// erf(x) of 0 <= x <= 1.
ISOSHARD_SCALAR double central_erf(double x) {
  constexpr double kCentral[] = {-7.7985438505499473324e-10, 1.37215204063510941e-8,      -1.6208829856810201753e-7,
                                 1.6447471190594617515e-6,   -0.000014924740785377575575, 0.0001205529511266700116,
                                 -0.00085483259825432252304, 0.005223977607269945575,     -0.026866170643256994527,
                                 0.1128379167094512997,      -0.3761263890318354286,      1.1283791670955125586};
  return x * horner(kCentral, x * x);
}

/// erfc(x) of 1/2 <= x <= 28.
ISOSHARD_SCALAR double tail_erfc(double x) {
  constexpr double kTail[] = {
      -1.8819366309448579092e-10, -3.4514974876643280605e-11,  2.0626322959832455313e-9, 1.2019719440135792782e-9,
      -1.1734464137789657044e-8,  -1.3906145791730993785e-8,   4.695094669161473371e-8,  1.0277997488271058e-7,
      -1.4683175494120584055e-7,  -6.1756176789923234179e-7,   3.6039109257127708694e-7, 3.473024167841532879e-6,
      -7.3314325974359701827e-7,  -0.000020100843094844725355, 4.9499886622643469059e-6, 0.00012509943557128120803,
      -0.00010515990108729848709, -0.00077983228848230840523,  0.0018886903716907627471, 0.0025293918180474667633,
      -0.023770514919506852136,   0.068308027343845154067,     -0.11927366341528022886,  0.12964515870276474563,
      -0.047562294353451092799,   -0.13562110612458119774,     1.2530080582697296077};
  return horner(kTail, (x - 3.0) / (x + 3.0)) / (1.0 + 2.0 * x) * bell(x);
}

/// The error function within 2 ulp; odd bit for bit, ±1 at ±inf.
ISOSHARD_SCALAR double erf(double x) {
  const double size = magnitude(x);
  const double central = central_erf(limited(size, 0.0, 1.0));
  const double beyond = 1.0 - tail_erfc(limited(size, 0.5, 28.0));
  const double y = size < 1.0 ? central : beyond;
  return x == x ? with_sign(y, x) : canonical_nan<double>();
}

/// 1 - erf(x) within 4 ulp, also where that is tiny; 2 at -inf.
ISOSHARD_SCALAR double erfc(double x) {
  const double size = magnitude(x);
  const double central = 1.0 - with_sign(central_erf(limited(size, 0.0, 1.0)), x);
  const double tail = tail_erfc(limited(size, 0.5, 28.0));
  const double beyond = x < 0 ? 2.0 - tail : tail;
  const double y = size < 0.5 ? central : beyond;
  return x == x ? y : canonical_nan<double>();
}

/// In double and rounded once: within 0.51 ulp.
ISOSHARD_SCALAR float erf(float x) { return canonical(static_cast<float>(erf(static_cast<double>(x)))); }
ISOSHARD_SCALAR float erfc(float x) { return canonical(static_cast<float>(erfc(static_cast<double>(x)))); }

}  // namespace isoshard::scalar
