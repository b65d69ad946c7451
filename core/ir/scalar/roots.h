#pragma once

#include "core/ir/scalar/format.h"

namespace isoshard::scalar {

/// Square root, correctly rounded; sqrt(-0) = -0, NaN below zero.
ISOSHARD_SCALAR float sqrt(float x) {
#if defined(__CUDA_ARCH__)
  return canonical(::__fsqrt_rn(x));
#else
  return canonical(__builtin_sqrtf(x));
#endif
}
ISOSHARD_SCALAR double sqrt(double x) {
#if defined(__CUDA_ARCH__)
  return canonical(::__dsqrt_rn(x));
#else
  return canonical(__builtin_sqrt(x));
#endif
}

/// 1 / sqrt(x) within 1.5 ulp, as these two operations round it; ±inf at ±0.
template <typename T>
ISOSHARD_SCALAR T rsqrt(T x) {
  return canonical(T(1) / sqrt(x));
}

}  // namespace isoshard::scalar
