// The inner loops of the matrix product for AVX2. Each element of C is one chain of fused multiply-adds over ascending
// k, exactly as in the portable kernel, so that bits depend neither on the instruction set nor on how rows and columns
// are split (docs/adr/0005-own-matmul.md). A tile has up to 6 rows times two vectors of columns, whose 12 accumulators
// stay in registers: per step of k, two loads of B and one broadcast of A per row feed 12 multiply-adds. Tiles at the
// edge read B with masks and write through a small array. With few rows packing B would cost more than it saves; these
// go row by row, eight steps of k at a time, over pieces of C that stay in the first cache. f32 and f64 share the code
// through a struct of vector functions each.
#include "sim/kernels/gemm_tile.h"

#if ISOSHARD_HAVE_AVX2

#include <immintrin.h>

#include <algorithm>
#include <cstddef>

#include "core/ir/scalar/format.h"

namespace isoshard::sim::detail {
namespace {

struct F32 {
  using Scalar = float;
  using Vector = __m256;
  using Mask = __m256i;
  static constexpr int kWidth = 8;
  ISOSHARD_AVX2_INLINE static Vector zero() { return _mm256_setzero_ps(); }
  ISOSHARD_AVX2_INLINE static Vector load(const float* p) { return _mm256_loadu_ps(p); }
  ISOSHARD_AVX2_INLINE static Vector load(const float* p, Mask mask) { return _mm256_maskload_ps(p, mask); }
  ISOSHARD_AVX2_INLINE static void store(float* p, Vector v) { _mm256_storeu_ps(p, v); }
  ISOSHARD_AVX2_INLINE static Vector all(const float* p) { return _mm256_broadcast_ss(p); }
  ISOSHARD_AVX2_INLINE static Vector fused(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
  ISOSHARD_AVX2_INLINE static Vector canonical(Vector v) {
    const Vector nan = _mm256_set1_ps(scalar::canonical_nan<float>());
    return _mm256_blendv_ps(v, nan, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
  }
  /// Lanes below `count`.
  ISOSHARD_AVX2_INLINE static Mask first(std::int64_t count) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), lanes);
  }
};

struct F64 {
  using Scalar = double;
  using Vector = __m256d;
  using Mask = __m256i;
  static constexpr int kWidth = 4;
  ISOSHARD_AVX2_INLINE static Vector zero() { return _mm256_setzero_pd(); }
  ISOSHARD_AVX2_INLINE static Vector load(const double* p) { return _mm256_loadu_pd(p); }
  ISOSHARD_AVX2_INLINE static Vector load(const double* p, Mask mask) { return _mm256_maskload_pd(p, mask); }
  ISOSHARD_AVX2_INLINE static void store(double* p, Vector v) { _mm256_storeu_pd(p, v); }
  ISOSHARD_AVX2_INLINE static Vector all(const double* p) { return _mm256_broadcast_sd(p); }
  ISOSHARD_AVX2_INLINE static Vector fused(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
  ISOSHARD_AVX2_INLINE static Vector canonical(Vector v) {
    const Vector nan = _mm256_set1_pd(scalar::canonical_nan<double>());
    return _mm256_blendv_pd(v, nan, _mm256_cmp_pd(v, v, _CMP_UNORD_Q));
  }
  ISOSHARD_AVX2_INLINE static Mask first(std::int64_t count) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
  }
};

#define ISOSHARD_UNROLL_8 _Pragma("GCC unroll 8")

/// Rows of C times two vectors of columns, all accumulators in registers; kWhole says that both vectors are full.
template <typename V, int kRows, bool kWhole>
ISOSHARD_TARGET_AVX2 void run_tile(const Tile<typename V::Scalar>& tile) {
  using T = typename V::Scalar;
  constexpr int kWidth = V::kWidth;
  const typename V::Mask mask0 = V::first(tile.columns);
  const typename V::Mask mask1 = V::first(tile.columns - kWidth);
  typename V::Vector c0[static_cast<std::size_t>(kRows)];
  typename V::Vector c1[static_cast<std::size_t>(kRows)];
  ISOSHARD_UNROLL_8
  for (int i = 0; i < kRows; ++i) {
    const T* c = tile.c + i * tile.c_row;
    c0[i] = tile.first ? V::zero() : kWhole ? V::load(c) : V::load(c, mask0);
    c1[i] = tile.first ? V::zero() : kWhole ? V::load(c + kWidth) : V::load(c + kWidth, mask1);
  }
  const T* a = tile.a;
  const T* b = tile.b;
  const std::int64_t a_row = tile.a_row;
  for (std::int64_t k = tile.k; k > 0; --k, a += tile.a_k, b += tile.b_k) {
    const typename V::Vector b0 = kWhole ? V::load(b) : V::load(b, mask0);
    const typename V::Vector b1 = kWhole ? V::load(b + kWidth) : V::load(b + kWidth, mask1);
    ISOSHARD_UNROLL_8
    for (int i = 0; i < kRows; ++i) {
      const typename V::Vector factor = V::all(a + i * a_row);
      c0[i] = V::fused(factor, b0, c0[i]);
      c1[i] = V::fused(factor, b1, c1[i]);
    }
  }
  ISOSHARD_UNROLL_8
  for (int i = 0; i < kRows; ++i) {
    T* c = tile.c + i * tile.c_row;
    const typename V::Vector y0 = tile.last ? V::canonical(c0[i]) : c0[i];
    const typename V::Vector y1 = tile.last ? V::canonical(c1[i]) : c1[i];
    if constexpr (kWhole) {
      V::store(c, y0);
      V::store(c + kWidth, y1);
    } else {  // not by masked stores, which cost tens of cycles on several processors
      alignas(32) T edge[2 * static_cast<std::size_t>(kWidth)];
      V::store(edge, y0);
      V::store(edge + kWidth, y1);
      std::copy_n(edge, tile.columns, c);
    }
  }
}

template <typename V, int kRows>
void run_rows(const Tile<typename V::Scalar>& tile) {
  if (tile.columns == 2 * V::kWidth) return run_tile<V, kRows, true>(tile);
  run_tile<V, kRows, false>(tile);
}

template <typename V>
void run_any(const Tile<typename V::Scalar>& tile) {
  switch (tile.rows) {
    case 6:
      return run_rows<V, 6>(tile);
    case 5:
      return run_rows<V, 5>(tile);
    case 4:
      return run_rows<V, 4>(tile);
    case 3:
      return run_rows<V, 3>(tile);
    case 2:
      return run_rows<V, 2>(tile);
    default:
      return run_rows<V, 1>(tile);
  }
}

/// c[0, n) takes up kSteps products a[s] · b[s·ldb + j], s ascending.
template <typename V, int kSteps>
ISOSHARD_TARGET_AVX2 void update_row(std::int64_t n, const typename V::Scalar* a, const typename V::Scalar* b,
                                     std::int64_t ldb, typename V::Scalar* c, bool last) {
  using T = typename V::Scalar;
  typename V::Vector factor[static_cast<std::size_t>(kSteps)];
  ISOSHARD_UNROLL_8
  for (int s = 0; s < kSteps; ++s) factor[s] = V::all(a + s);
  std::int64_t j = 0;
  for (; j + V::kWidth <= n; j += V::kWidth) {
    typename V::Vector sum = V::load(c + j);
    ISOSHARD_UNROLL_8
    for (int s = 0; s < kSteps; ++s) sum = V::fused(factor[s], V::load(b + s * ldb + j), sum);
    V::store(c + j, last ? V::canonical(sum) : sum);
  }
  for (; j < n; ++j) {
    T sum = c[j];
    ISOSHARD_UNROLL_8
    for (int s = 0; s < kSteps; ++s) sum = scalar::fused(a[s], b[s * ldb + j], sum);
    c[j] = last ? scalar::canonical(sum) : sum;
  }
}

template <typename V, typename T>
void few_rows(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, std::int64_t lda, const T* b,
              std::int64_t ldb, T* c, std::int64_t ldc) {
  constexpr std::int64_t kBlock = 8192 / static_cast<std::int64_t>(sizeof(T));  // a row piece of C stays in L1
  constexpr int kSteps = 8;
  for (std::int64_t j = 0; j < n; j += kBlock) {
    const std::int64_t width = std::min(kBlock, n - j);
    for (std::int64_t i = 0; i < m; ++i) std::fill_n(c + i * ldc + j, width, T(0));
    std::int64_t p = 0;
    for (; p + kSteps <= k; p += kSteps) {
      for (std::int64_t i = 0; i < m; ++i) {
        update_row<V, kSteps>(width, a + i * lda + p, b + p * ldb + j, ldb, c + i * ldc + j, p + kSteps == k);
      }
    }
    for (; p < k; ++p) {
      for (std::int64_t i = 0; i < m; ++i) {
        update_row<V, 1>(width, a + i * lda + p, b + p * ldb + j, ldb, c + i * ldc + j, p + 1 == k);
      }
    }
  }
}

}  // namespace

void gemm_tile_avx2(const Tile<float>& tile) { run_any<F32>(tile); }
void gemm_tile_avx2(const Tile<double>& tile) { run_any<F64>(tile); }

void gemm_few_rows_avx2(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda,
                        const float* b, std::int64_t ldb, float* c, std::int64_t ldc) {
  few_rows<F32>(m, n, k, a, lda, b, ldb, c, ldc);
}
void gemm_few_rows_avx2(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, std::int64_t lda,
                        const double* b, std::int64_t ldb, double* c, std::int64_t ldc) {
  few_rows<F64>(m, n, k, a, lda, b, ldb, c, ldc);
}

}  // namespace isoshard::sim::detail

#endif  // ISOSHARD_HAVE_AVX2
