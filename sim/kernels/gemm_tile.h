#pragma once  // internal

#include <cstdint>

#include "sim/kernels/gemm_turned.h"
#include "sim/kernels/isa.h"

/// The inner loops of gemm, one set per instruction set. Private to gemm*.cc.
namespace isoshard::sim::detail {

/// The operands of one call, as the public functions document them.
template <typename T>
struct GemmProduct {
  Index m, n, k;
  GemmOperand<T> a, b;
  T* c;
  Index ldc;

  /// From one row of A to the next, and from one k; the same of B.
  Index a_row() const { return a.turned ? 1 : a.ld; }
  Index a_k() const { return a.turned ? a.ld : 1; }
  Index b_k() const { return b.turned ? 1 : b.ld; }
  Index b_column() const { return b.turned ? b.ld : 1; }
};

/// One tile of C and the operands of a stretch of k. Strides are in elements.
template <typename T>
struct Tile {
  std::int64_t k;
  const T* a;
  std::int64_t a_row;  ///< from one row of A to the next
  std::int64_t a_k;    ///< from one k to the next
  const T* b;
  std::int64_t b_k;  ///< from one k to the next; columns of B are adjacent
  T* c;
  std::int64_t c_row;
  std::int64_t rows;     ///< 1 … GemmTile<T>::kRows
  std::int64_t columns;  ///< 1 … GemmTile<T>::kColumns
  bool first;            ///< start the chains at +0 instead of at C
  bool last;             ///< make NaNs canonical
};

/// The largest tile of the AVX2 kernel: 6 x 2 vectors of accumulators leave four registers for A and B.
template <typename T>
struct GemmTile {
  static constexpr std::int64_t kRows = 6;
  static constexpr std::int64_t kColumns = 64 / static_cast<std::int64_t>(sizeof(T));
};

#if ISOSHARD_HAVE_AVX2
/// Runs one tile. B need not be padded: columns outside the tile are not read.
void gemm_tile_avx2(const Tile<float>& tile);
void gemm_tile_avx2(const Tile<double>& tile);

/// As gemm, for few rows: streams through B once per row block, without packing.
void gemm_few_rows_avx2(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda,
                        const float* b, std::int64_t ldb, float* c, std::int64_t ldc);
void gemm_few_rows_avx2(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, std::int64_t lda,
                        const double* b, std::int64_t ldb, double* c, std::int64_t ldc);
#endif

#if ISOSHARD_HAVE_AVX512
/// gemm of k > 0 as a whole, packing included.
void gemm_avx512(const GemmProduct<float>& p);
void gemm_avx512(const GemmProduct<double>& p);
#endif

}  // namespace isoshard::sim::detail
