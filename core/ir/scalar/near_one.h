#pragma once

#include "core/ir/scalar/log.h"
#include "core/ir/scalar/power.h"

/// e^x - 1 and log(1 + x), with all digits where x is small.
namespace isoshard::scalar {

/// e^x - 1 within 2 ulp; -1 at -inf, x itself at ±0.
ISOSHARD_SCALAR double exponential_minus_one(double x) {
  using F = Format<double>;
  constexpr double kAlone = 50;  // from here on the 1 is below the last digit of the power
  const ExpParts<double> parts = exp_parts(limited(x, F::kExpMin, kAlone));  // p + p q with p a power of two
  const double p = parts.power.first * parts.power.second;
  const Pair<double> below = exact_sum(p, -1.0);
  const Pair<double> sum = exact_sum(below.high, p * parts.q.high);
  const double small = sum.high + (sum.low + (below.low + p * parts.q.low));
  const double y = x < kAlone ? small : exponential(x);
  const double known = x == 0 ? x : y;
  return x == x ? known : canonical_nan<double>();
}

/// log(1 + x) within 3 ulp; -inf at -1, NaN below, x itself at ±0.
ISOSHARD_SCALAR double log_plus_one(double x) {
  constexpr double kInfinity = bits_as<double>(std::uint64_t{0x7ff0000000000000});
  const Pair<double> sum = exact_sum(1.0, x);
  const bool usual = x > -1.0 && x < kInfinity;
  const double rest = usual ? sum.low / sum.high : 0.0;  // log(a + b) = log a + b / a, as b is below the last digit
  const double y = log(sum.high) + rest;
  return x == 0 ? x : canonical(y);
}

/// In double and rounded once: within 0.51 ulp.
ISOSHARD_SCALAR float exponential_minus_one(float x) {
  return canonical(static_cast<float>(exponential_minus_one(static_cast<double>(x))));
}
ISOSHARD_SCALAR float log_plus_one(float x) {
  return canonical(static_cast<float>(log_plus_one(static_cast<double>(x))));
}

}  // namespace isoshard::scalar
