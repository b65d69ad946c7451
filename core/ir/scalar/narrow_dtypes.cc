// Constants as floats of 16 and 8 bits. Rounding twice, to f64 and then to fewer bits, can give the wrong neighbour;
// rationals are therefore rounded to odd first (S. Boldo, G. Melquiond 2005), after which the second rounding is right.
// Cost: a comparison of rationals.
#include "core/ir/scalar/narrow_dtypes.h"

#include <cmath>
#include <cstdint>

#include "core/support/rational_gmp.h"

namespace isoshard::scalar {
namespace {

/// x between `nearest` and its neighbours as the one of them with an odd last bit; `side` is the sign of x - nearest.
double to_odd(double nearest, int side) {
  if (side == 0 || !std::isfinite(nearest) || (bits_as<std::uint64_t>(nearest) & 1) != 0) return nearest;
  return std::nextafter(nearest, side > 0 ? HUGE_VAL : -HUGE_VAL);
}

}  // namespace

float nearest_narrow(DType dtype, const Rational& constant) {
  const double nearest = constant.to_double();
  const bool known = constant.finite() && std::isfinite(nearest);
  const double odd = to_odd(nearest, known ? cmp(to_mpq(constant), mpq_class(nearest)) : 0);
  return with_narrow(dtype, [odd](auto format) { return static_cast<float>(narrowed<decltype(format)>(odd)); });
}

}  // namespace isoshard::scalar
