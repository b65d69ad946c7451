#pragma once

#include "core/ir/scalar/logistic.h"

namespace isoshard::scalar {

/// Hyperbolic tangent; odd bit for bit, tanh(-0) = -0, ±1 at ±inf; within 0.9 ulp.
template <typename T>
ISOSHARD_SCALAR T tanh(T x) {
  // (e^2x - 1) / (e^2x + 1) with e^2x = p + p·q, p a power of two and at least 1, so that p dominates each sum.
  using F = Format<T>;
  const T size = limited(magnitude(x), T(0), F::kTanhOne);
  const ExpParts<T> parts = exp_parts(size + size);
  const T p = parts.power.first * parts.power.second;
  const T pq = p * parts.q.high;
  const T pq_low = p * parts.q.low;
  const T below = p - T(1);
  const T above = p + T(1);
  const T below_low = (p - below) - T(1);
  const T above_low = (p - above) + T(1);
  const T top = below + pq;
  const T top_low = ((below - top) + pq) + (pq_low + below_low);
  const T bottom = above + pq;
  const T bottom_low = ((above - bottom) + pq) + (pq_low + above_low);
  const T y = quotient(Pair<T>{top, top_low}, Pair<T>{bottom, bottom_low});
  return x == x ? with_sign(y, x) : canonical_nan<T>();
}

}  // namespace isoshard::scalar
