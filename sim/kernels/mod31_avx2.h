#pragma once  // internal

#include "sim/kernels/isa.h"
#include "sim/kernels/mod31.h"

#if ISOSHARD_HAVE_AVX2
#include <immintrin.h>

/// Vectors of residues modulo a number between 2^30 and 2^31. Private to kernels.
namespace isoshard::sim {

/// Reduces four 64-bit numbers below 2^62 at once.
///
/// Barrett's reduction: with m = floor(2^62 / p), both factors of (x >> 30) · m fit 32 bits, and the quotient that
/// its upper half estimates is at most 2 too small: each of the two that were cut costs less than 1.
struct Mod31Vectors {
  __m256i p, m;  ///< in each 64-bit lane

  ISOSHARD_AVX2_INLINE static Mod31Vectors of(const Mod31& p) {
    return {_mm256_set1_epi64x(p.modulus()), _mm256_set1_epi64x(p.quotient62())};
  }
  /// The residue of each 64-bit lane, in its low half; the high half is 0.
  ISOSHARD_AVX2_INLINE __m256i reduced(__m256i x) const {
    const __m256i quotient = _mm256_srli_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 30), m), 32);
    const __m256i rest = _mm256_sub_epi64(_mm256_sub_epi64(x, _mm256_mul_epu32(quotient, p)), p);  // [-p, 2p)
    const __m256i missing = _mm256_and_si256(_mm256_srli_epi64(rest, 32), p);                      // p where < 0
    const __m256i positive = _mm256_add_epi64(rest, missing);                                      // [0, 2p)
    return _mm256_min_epu32(positive, _mm256_sub_epi32(positive, p));
  }
};

}  // namespace isoshard::sim

#endif
