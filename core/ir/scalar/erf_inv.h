#pragma once

#include <cstddef>

#include "core/ir/scalar/log.h"
#include "core/ir/scalar/roots.h"

/// The inverse of the error function by the polynomials of M. Giles, "Approximating the erfinv function" (GPU Computing
/// Gems 2011): erf_inv(x) = x·p(w), w = -log(1 - x^2), with one polynomial in w where w is small and one in sqrt(w)
/// beyond.
namespace isoshard::scalar {

/// c[0]·x^kLast + ... + c[kLast] by Horner's rule, unrolled so that loops over it vectorise.
template <std::size_t kLast, typename T>
ISOSHARD_SCALAR T horner_to(const T* c, T x) {
  if constexpr (kLast == 0) {
    return c[0];
  } else {
    return fused(horner_to<kLast - 1>(c, x), x, c[kLast]);
  }
}
template <typename T, std::size_t n>
ISOSHARD_SCALAR T horner(const T (&c)[n], T x) {
  return horner_to<n - 1>(c, x);
}

/// The logarithm of 0 < x < 1 as XLA for CPUs evaluates it (the float polynomial of S. Moshier's Cephes library in
/// Eigen's order): for erf_inv, whose bits it decides. Meaningless but harmless elsewhere.
ISOSHARD_SCALAR float cephes_log(float x) {
  constexpr float kSqrtHalf = 0.707106781186547524f;
  constexpr float kFirst[] = {7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f};
  constexpr float kSecond[] = {-1.2420140846e-1f, 1.4249322787e-1f, -1.6668057665e-1f};
  constexpr float kThird[] = {2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f};
  const std::uint32_t bits = bits_as<std::uint32_t>(x);
  const float mantissa = bits_as<float>((bits & 0x7fffffU) | 0x3f000000U);  // in [1/2, 1)
  const bool low = mantissa < kSqrtHalf;
  const float e = static_cast<float>(static_cast<int>(bits >> 23) - 126) - (low ? 1.0f : 0.0f);
  const float f = (mantissa - 1.0f) + (low ? mantissa : 0.0f);
  const float square = f * f, cube = square * f;
  const float thirds = fused(fused(horner(kFirst, f), cube, horner(kSecond, f)), cube, horner(kThird, f));
  const float tail = fused(thirds, cube, e * -2.12194440e-4f);
  return fused(e, 0.693359375f, fused(square, -0.5f, f) + tail);
}

/// log(1 + x) of -1 < x <= 0 as XLA for CPUs evaluates it: a rational function of Cephes where x is small.
ISOSHARD_SCALAR float cephes_log1p(float x) {
  constexpr float kNumerator[] = {4.5270000862445199635215e-5f, 4.9854102823193375972212e-1f,
                                  6.5787325942061044846969f,    2.9911919328553073277375e1f,
                                  6.0949667980987787057556e1f,  5.7112963590585538103336e1f,
                                  2.0039553499201281259648e1f};
  constexpr float kDenominator[] = {1.0f,
                                    1.5062909083469192043167e1f,
                                    8.3047565967967209469434e1f,
                                    2.2176239823732856465394e2f,
                                    3.0909872225312059774938e2f,
                                    2.1642788614495947685003e2f,
                                    6.0118660497603843919306e1f};
  const float square = x * x;
  const float ratio = horner(kNumerator, x) / horner(kDenominator, x);
  const float small = x + fused(square, -0.5f, (x * square) * ratio);
  const float large = cephes_log(1.0f + x);
  return magnitude(x) < 0.41421356237309504880f ? small : large;
}

/// In f32 as XLA for CPUs evaluates it, so that normal random numbers are JAX's: within 6e-6 relative. ±inf at ±1, NaN
/// beyond.
ISOSHARD_SCALAR float erf_inv(float x) {
  constexpr float kCentral[] = {2.81022636e-08f, 3.43273939e-07f, -3.5233877e-06f, -4.39150654e-06f, 0.00021858087f,
                                -0.00125372503f, -0.00417768164f, 0.246640727f,    1.50140941f};
  constexpr float kTail[] = {-0.000200214257f, 0.000100950558f, 0.00134934322f, -0.00367342844f, 0.00573950773f,
                             -0.0076224613f,   0.00943887047f,  1.00167406f,    2.83297682f};
  const float w = -cephes_log1p(-x * x);
  const float central = horner(kCentral, w - 2.5f) * x;
  const float tail = horner(kTail, sqrt(w) - 3.0f) * x;
  const float inside = w < 5.0f ? central : tail;
  const float infinity = bits_as<float>(0x7f800000U);
  const float size = magnitude(x);
  const float y = size == 1.0f ? with_sign(infinity, x) : inside;
  return size <= 1.0f ? y : canonical_nan<float>();
}

/// In f64 within 4 ulp. ±inf at ±1, NaN beyond.
ISOSHARD_SCALAR double erf_inv(double x) {
  constexpr double kCentral[] = {
      -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,  1.115787767802518096e-17,
      -1.333171662854620906e-16,  2.0972767875968561637e-17,  6.6376381343583238325e-15,  -4.0545662729752068639e-14,
      -8.1519341976054721522e-14, 2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
      1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
      -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352,   -0.00074070253416626697512,
      -0.0060336708714301490533,  0.24015818242558961693,     1.6536545626831027356};
  constexpr double kTail[] = {
      2.2137376921775787049e-09,  9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
      1.5027403968909827627e-06,  -4.013867526981545969e-06, 2.9234449089955446044e-06,  1.2475304481671778723e-05,
      -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05,  -0.0003550375203628474796,
      0.00095328937973738049703,  -0.0016882755560235047313, 0.0024914420961078508066,   -0.0037512085075692412107,
      0.005370914553590063617,    1.0052589676941592334,     3.0838856104922207635};
  constexpr double kFarTail[] = {-2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
                                 -3.7894654401267369937e-09, 7.6157012080783393804e-09,  -1.4960026627149240478e-08,
                                 2.9147953450901080826e-08,  -6.7711997758452339498e-08, 2.2900482228026654717e-07,
                                 -9.9298272942317002539e-07, 4.5260625972231537039e-06,  -1.9681778105531670567e-05,
                                 7.5995277030017761139e-05,  -0.00021503011930044477347, -0.00013871931833623122026,
                                 1.0103004648645343977,      4.8499064014085844221};
  const double w = -log((1.0 - x) * (1.0 + x));  // near 1 the first factor is exact; near 0 only |w| counts
  const double root = sqrt(w);
  const double tail = w < 16 ? horner(kTail, root - 3.25) : horner(kFarTail, root - 5.0);
  const double inside = (w < 6.25 ? horner(kCentral, w - 3.125) : tail) * x;
  const double infinity = bits_as<double>(std::uint64_t{0x7ff0000000000000});
  const double size = magnitude(x);
  const double y = size == 1.0 ? with_sign(infinity, x) : inside;
  return size <= 1.0 ? y : canonical_nan<double>();
}

}  // namespace isoshard::scalar
