#pragma once

#include "core/support/host_device.h"

namespace isoshard::scalar {

/// a · b + c with one rounding.
ISOSHARD_SCALAR float fused(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return ::fmaf(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}
ISOSHARD_SCALAR double fused(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  return ::fma(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

/// The bits of `from` read as a To of the same size.
template <typename To, typename From>
ISOSHARD_SCALAR constexpr To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

}  // namespace isoshard::scalar
