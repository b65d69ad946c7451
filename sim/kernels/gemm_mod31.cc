// Matrix products of residues modulo a prime of 31 bits, the inner loop of the exact rings
// (docs/adr/0038-primes-of-lanes.md). The portable kernel adds rows of B, 512 columns at a time, into 64-bit sums. The
// one for AVX2 has tiles of 4 rows and 8 columns, whose even and odd columns are apart because a vector multiplies only
// every other residue; B is packed in columns of 8 when it is turned or when enough rows read it again, and k is cut
// into stretches that fit the first cache. AVX-512 makes large products of limbs in f64 (gemm_residues.cc). All give
// the same residues, since the arithmetic is exact. Cost: m n k multiplications; splitting a sum into halves is paid
// once for four of them, and a reduction modulo the prime once per stretch of k.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/support/check.h"
#include "sim/kernels/gemm.h"
#include "sim/kernels/gemm_residues.h"
#include "sim/kernels/gemm_turned.h"
#include "sim/kernels/mod31.h"
#include "sim/kernels/mod31_avx2.h"

// Four products of residues fit 64 bits; the lower and upper halves of such sums are added up apart, which no sum of
// fewer than 2^32 terms can overflow, and are put together at the end. That takes as many instructions as folding
// modulo 2^31 - 1 does, and serves every modulus of 31 bits.

namespace isoshard::sim {
namespace {

/// A[i, k] at a[i * a_row + k * a_k], B and C row-major.
struct ResidueProduct {
  const Mod31* modulus;
  Index m, n, k;
  const Residue* a;
  Index a_row, a_k;
  const Residue* b;
  Index ldb;
  Residue* c;
  Index ldc;
};

/// Sums of products: low + 2^32 high.
struct SplitSums {
  static constexpr Index kWidth = 512;
  std::uint64_t low[kWidth];
  std::uint64_t high[kWidth];

  void add(Index j, std::uint64_t x) {
    low[j] += x & 0xffffffff;
    high[j] += x >> 32;
  }
  Residue residue(Index j, const Mod31& p) const {
    return p.add(p.multiply(p.reduce(high[j]), p.power32()), p.reduce(low[j]));
  }
};

/// sums[j] takes up the products of one row of A, k in [0, p.k), with the columns [first, first + width) of B.
void add_row(const ResidueProduct& p, const Residue* a, Index first, Index width, SplitSums& sums) {
  Index k = 0;
  for (; k + 4 <= p.k; k += 4) {
    const Residue* column = a + k * p.a_k;
    const std::uint64_t a0 = column[0], a1 = column[p.a_k], a2 = column[2 * p.a_k], a3 = column[3 * p.a_k];
    const Residue* b0 = p.b + k * p.ldb + first;
    const Residue* b1 = b0 + p.ldb;
    const Residue* b2 = b1 + p.ldb;
    const Residue* b3 = b2 + p.ldb;
    for (Index j = 0; j < width; ++j) sums.add(j, a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j]);
  }
  for (; k < p.k; ++k) {
    const std::uint64_t factor = a[k * p.a_k];
    const Residue* b = p.b + k * p.ldb + first;
    for (Index j = 0; j < width; ++j) sums.add(j, factor * b[j]);
  }
}

void multiply_residues_scalar(const ResidueProduct& p) {
  SplitSums sums;
  for (Index first = 0; first < p.n; first += SplitSums::kWidth) {
    const Index width = std::min(SplitSums::kWidth, p.n - first);
    for (Index i = 0; i < p.m; ++i) {
      std::fill_n(sums.low, width, 0);
      std::fill_n(sums.high, width, 0);
      add_row(p, p.a + i * p.a_row, first, width, sums);
      for (Index j = 0; j < width; ++j) p.c[i * p.ldc + first + j] = sums.residue(j, *p.modulus);
    }
  }
}

#if ISOSHARD_HAVE_AVX2

#define ISOSHARD_UNROLL_4 _Pragma("GCC unroll 4")

constexpr Index kColumns = 8;
constexpr Index kResidueDepth = 256;  // of B read again by every row tile: 8 KiB when packed

/// Residues of a whole vector, or of its first columns.
template <bool kWhole>
ISOSHARD_AVX2_INLINE __m256i load(const Residue* p, __m256i mask) {
  if constexpr (kWhole) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return _mm256_maskload_epi32(reinterpret_cast<const int*>(p), mask);
}

ISOSHARD_AVX2_INLINE __m256i all_lanes(const Residue* p) { return _mm256_set1_epi32(static_cast<int>(*p)); }

/// Four sums of products: low + 2^32 high, both below 2^39.
struct SplitSum {
  __m256i low, high;

  ISOSHARD_AVX2_INLINE void add(__m256i x) {
    low = _mm256_add_epi64(low, _mm256_blend_epi32(x, _mm256_setzero_si256(), 0xaa));
    high = _mm256_add_epi64(high, _mm256_srli_epi64(x, 32));
  }
};

/// Puts split sums together: high = high0 + 2^30 high1, and 2^32 and 2^62 count as residues.
struct JoinSums {
  Mod31Vectors modulo;
  __m256i power32, power62;

  ISOSHARD_AVX2_INLINE static JoinSums of(const Mod31& p) {
    return {Mod31Vectors::of(p), _mm256_set1_epi64x(p.power32()), _mm256_set1_epi64x(p.power62())};
  }
  ISOSHARD_AVX2_INLINE __m256i residue(const SplitSum& sum) const {
    const __m256i high0 = _mm256_and_si256(sum.high, _mm256_set1_epi64x((1 << 30) - 1));
    const __m256i high1 = _mm256_srli_epi64(sum.high, 30);
    const __m256i high = _mm256_add_epi64(_mm256_mul_epu32(high0, power32), _mm256_mul_epu32(high1, power62));
    return modulo.reduced(_mm256_add_epi64(high, sum.low));  // below 2^61 + 2^40 + 2^39
  }
};

/// C[rows, 8] = (first ? 0 : C) + A[rows, depth] · B[depth, 8]. Even and odd columns have their own 64-bit sums.
template <int kRows, bool kWhole>
ISOSHARD_TARGET_AVX2 void run_residue_tile(const ResidueProduct& p, bool first, Index columns) {
  const __m256i mask =
      _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(columns)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  SplitSum even[static_cast<std::size_t>(kRows)];
  SplitSum odd[static_cast<std::size_t>(kRows)];
  ISOSHARD_UNROLL_4
  for (int i = 0; i < kRows; ++i) {
    const __m256i c = first ? _mm256_setzero_si256() : load<kWhole>(p.c + i * p.ldc, mask);
    even[i] = {_mm256_blend_epi32(c, _mm256_setzero_si256(), 0xaa), _mm256_setzero_si256()};
    odd[i] = {_mm256_srli_epi64(c, 32), _mm256_setzero_si256()};
  }
  Index k = 0;
  for (; k + 4 <= p.k; k += 4) {
    __m256i b[4];
    __m256i b_odd[4];
    ISOSHARD_UNROLL_4
    for (int s = 0; s < 4; ++s) {
      b[s] = load<kWhole>(p.b + (k + s) * p.ldb, mask);
      b_odd[s] = _mm256_srli_epi64(b[s], 32);
    }
    ISOSHARD_UNROLL_4
    for (int i = 0; i < kRows; ++i) {
      const Residue* a = p.a + i * p.a_row + k * p.a_k;
      const __m256i a0 = all_lanes(a), a1 = all_lanes(a + p.a_k), a2 = all_lanes(a + 2 * p.a_k),
                    a3 = all_lanes(a + 3 * p.a_k);
      const __m256i e = _mm256_add_epi64(_mm256_add_epi64(_mm256_mul_epu32(a0, b[0]), _mm256_mul_epu32(a1, b[1])),
                                         _mm256_add_epi64(_mm256_mul_epu32(a2, b[2]), _mm256_mul_epu32(a3, b[3])));
      const __m256i o =
          _mm256_add_epi64(_mm256_add_epi64(_mm256_mul_epu32(a0, b_odd[0]), _mm256_mul_epu32(a1, b_odd[1])),
                           _mm256_add_epi64(_mm256_mul_epu32(a2, b_odd[2]), _mm256_mul_epu32(a3, b_odd[3])));
      even[i].add(e);
      odd[i].add(o);
    }
  }
  for (; k < p.k; ++k) {
    const __m256i b = load<kWhole>(p.b + k * p.ldb, mask);
    const __m256i b_odd = _mm256_srli_epi64(b, 32);
    ISOSHARD_UNROLL_4
    for (int i = 0; i < kRows; ++i) {
      const __m256i a = all_lanes(p.a + i * p.a_row + k * p.a_k);
      even[i].add(_mm256_mul_epu32(a, b));
      odd[i].add(_mm256_mul_epu32(a, b_odd));
    }
  }
  const JoinSums join = JoinSums::of(*p.modulus);
  ISOSHARD_UNROLL_4
  for (int i = 0; i < kRows; ++i) {
    const __m256i c = _mm256_or_si256(join.residue(even[i]), _mm256_slli_epi64(join.residue(odd[i]), 32));
    Residue* out = p.c + i * p.ldc;
    if constexpr (kWhole) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), c);
    } else {
      alignas(32) Residue edge[kColumns];
      _mm256_store_si256(reinterpret_cast<__m256i*>(edge), c);
      std::copy_n(edge, columns, out);
    }
  }
}

template <int kRows>
void run_residue_rows(const ResidueProduct& p, bool first) {
  if (p.n == kColumns) return run_residue_tile<kRows, true>(p, first, kColumns);
  run_residue_tile<kRows, false>(p, first, p.n);
}

/// One tile; p.m is at most 4 and p.n at most 8.
void run_residue_any(const ResidueProduct& p, bool first) {
  if (p.m == 4) return run_residue_rows<4>(p, first);
  if (p.m == 3) return run_residue_rows<3>(p, first);
  if (p.m == 2) return run_residue_rows<2>(p, first);
  run_residue_rows<1>(p, first);
}

/// B of a product whose k rows lie below each other, or as its columns.
struct PackedColumns {
  const Residue* b;
  Index ldb;
  bool turned;

  /// Rows one below the other, so that they neither conflict in the cache nor need a mask.
  void pack(Index k, Index j, Index depth, Index columns, Residue* out) const {
    if (!turned) {
      for (Index d = 0; d < depth; ++d, out += kColumns) {
        std::fill(std::copy_n(b + (k + d) * ldb + j, columns, out), out + kColumns, 0);
      }
      return;
    }
    if (columns < kColumns) std::fill_n(out, depth * kColumns, 0);
    for (Index c = 0; c < columns; ++c) {
      const Residue* column = b + (j + c) * ldb + k;
      for (Index d = 0; d < depth; ++d) out[d * kColumns + c] = column[d];
    }
  }
};

void multiply_residues_avx2(const ResidueProduct& p, bool b_turned) {
  constexpr Index kRows = 4;
  alignas(32) Residue packed[kResidueDepth * kColumns];
  for (Index k = 0; k < p.k; k += kResidueDepth) {
    const Index depth = std::min(kResidueDepth, p.k - k);
    for (Index j = 0; j < p.n; j += kColumns) {
      const Index columns = std::min(kColumns, p.n - j);
      const bool pack = b_turned || p.m > 2 * kRows;
      if (pack) PackedColumns{p.b, p.ldb, b_turned}.pack(k, j, depth, columns, packed);
      const Residue* b = pack ? packed : p.b + k * p.ldb + j;
      for (Index i = 0; i < p.m; i += kRows) {
        run_residue_any(
            ResidueProduct{p.modulus, std::min(kRows, p.m - i), columns, depth, p.a + i * p.a_row + k * p.a_k, p.a_row,
                           p.a_k, b, pack ? kColumns : p.ldb, p.c + i * p.ldc + j, p.ldc},
            k == 0);
      }
    }
  }
}

#endif  // ISOSHARD_HAVE_AVX2

}  // namespace

void gemm_mod31(Isa isa, const Mod31& modulus, Index m, Index n, Index k, GemmOperand<Residue> a,
                GemmOperand<Residue> b, Residue* c, Index ldc) {
  ISOSHARD_CHECK(m >= 0 && n >= 0 && k >= 0, "a matrix product with a negative size");
  ResidueProduct p{&modulus, m, n, k, a.data, a.turned ? 1 : a.ld, a.turned ? a.ld : 1, b.data, b.ld, c, ldc};
#if ISOSHARD_HAVE_AVX2
  constexpr Index kTerms = 36 * 36 * 36;  // from which on AVX-512 is faster with floats
  const detail::ResidueMatrices<Residue> matrices{modulus.modulus(), m, n, k, a, b, c, ldc};
  if (isa == Isa::avx512 && pays_by_floats(matrices, kTerms)) return multiply_by_floats(isa, matrices);
  if (isa != Isa::scalar && k > 0) return multiply_residues_avx2(p, b.turned);
#endif
  static_cast<void>(isa);
  std::vector<Residue> rows;
  if (b.turned) {
    rows.resize(static_cast<std::size_t>(k * n));
    for (Index i = 0; i < k * n; ++i) rows[static_cast<std::size_t>(i)] = b.data[i % n * b.ld + i / n];
    p.b = rows.data();
    p.ldb = n;
  }
  multiply_residues_scalar(p);
}

void gemm_mod31(Isa isa, const Mod31& modulus, Index m, Index n, Index k, const Residue* a, Index lda, const Residue* b,
                Index ldb, Residue* c, Index ldc) {
  gemm_mod31(isa, modulus, m, n, k, GemmOperand<Residue>{a, lda}, GemmOperand<Residue>{b, ldb}, c, ldc);
}

}  // namespace isoshard::sim
