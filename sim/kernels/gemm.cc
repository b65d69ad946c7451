// Matrix products whose bits depend on a row of A and a column of B alone: each element of C is one chain of fused
// multiply-adds over ascending k that starts at +0 (docs/adr/0005-own-matmul.md). So a product that is split over
// devices by rows or columns has the bits of the whole one, which no BLAS promises. Blocks of k keep the chain: a tile
// loads C, goes on, and stores it; only the last block makes NaNs canonical. Panels of A and B are packed to fit the
// caches (K. Goto and R. van de Geijn 2008), with AVX2 in blocks of 256 x 96 x 1024; small products are read in place,
// few rows go through a kernel of their own, and all paths give the same bits. gemm_avx512.cc has blocks of its own.
// Without AVX2 plain loops with the same chain. 2 m n k flops.
#include "sim/kernels/gemm.h"

#include <algorithm>
#include <cstddef>

#include "core/ir/scalar/format.h"
#include "core/support/check.h"
#include "sim/kernels/gemm_tile.h"
#include "sim/kernels/gemm_turned.h"
#include "sim/kernels/panel.h"
#include "sim/kernels/split_product.h"

namespace isoshard::sim {
namespace {

using detail::GemmProduct;

template <typename T>
void fill_zero(const GemmProduct<T>& p) {
  for (Index i = 0; i < p.m; ++i) std::fill_n(p.c + i * p.ldc, p.n, T(0));
}

template <typename T>
void multiply_scalar(const GemmProduct<T>& p) {
  fill_zero(p);
  for (Index i = 0; i < p.m; ++i) {
    T* c = p.c + i * p.ldc;
    for (Index q = 0; q < p.k; ++q) {
      const T factor = p.a.data[i * p.a_row() + q * p.a_k()];
      const T* b = p.b.data + q * p.b_k();
      for (Index j = 0; j < p.n; ++j) c[j] = scalar::fused(factor, b[j * p.b_column()], c[j]);
    }
    for (Index j = 0; j < p.n; ++j) c[j] = scalar::canonical(c[j]);
  }
}

#if ISOSHARD_HAVE_AVX2

/// Blocks of the packed path: kDepth · a B panel (16 KiB) sits in L1, kRowBlock · kDepth of A in L2.
constexpr Index kDepth = 256;
constexpr Index kRowBlock = 96;
constexpr Index kColumnBlock = 1024;

Index round_up(Index x, Index unit) { return (x + unit - 1) / unit * unit; }

/// pack_b of columns that lie one after another: [columns, depth] with `ldb` from one to the next.
template <typename T>
void pack_turned_b(const T* b, Index ldb, Index depth, Index columns, T* out) {
  constexpr Index kColumns = detail::GemmTile<T>::kColumns;
  for (Index j = 0; j < columns; j += kColumns, out += kColumns * depth) {
    const Index width = std::min(kColumns, columns - j);
    for (Index r = 0; r < kColumns; ++r) {
      const T* column = b + (j + r) * ldb;
      for (Index q = 0; q < depth; ++q) out[q * kColumns + r] = r < width ? column[q] : T(0);
    }
  }
}

/// Column panels of kColumns, each [depth, kColumns]; columns past the edge are zero and never stored.
template <typename T>
void pack_b(const T* b, Index ldb, Index depth, Index columns, T* out) {
  constexpr Index kColumns = detail::GemmTile<T>::kColumns;
  for (Index j = 0; j < columns; j += kColumns) {
    const Index width = std::min(kColumns, columns - j);
    for (Index q = 0; q < depth; ++q, out += kColumns) {
      const T* row = b + q * ldb + j;
      if (width == kColumns) {
        std::copy_n(row, kColumns, out);
      } else {
        std::fill_n(std::copy_n(row, width, out), kColumns - width, T(0));
      }
    }
  }
}

/// pack_a of rows that lie side by side: [depth, rows] with `lda` from one k to the next.
template <typename T>
void pack_turned_a(const T* a, Index lda, Index rows, Index depth, T* out) {
  constexpr Index kRows = detail::GemmTile<T>::kRows;
  for (Index i = 0; i < rows; i += kRows) {
    const Index height = std::min(kRows, rows - i);
    for (Index q = 0; q < depth; ++q) out = std::copy_n(a + q * lda + i, height, out);
  }
}

/// Row panels of kRows, each [depth, rows of the panel].
template <typename T>
void pack_a(const T* a, Index lda, Index rows, Index depth, T* out) {
  constexpr Index kRows = detail::GemmTile<T>::kRows;
  for (Index i = 0; i < rows; i += kRows) {
    const Index height = std::min(kRows, rows - i);
    for (Index r = 0; r < height; ++r) {
      const T* row = a + (i + r) * lda;
      for (Index q = 0; q < depth; ++q) out[q * height + r] = row[q];
    }
    out += height * depth;
  }
}

/// One block of rows against a packed block of B.
template <typename T>
void multiply_block(const T* packed_a, const T* packed_b, Index rows, Index columns, Index depth, T* c, Index ldc,
                    bool first, bool last) {
  constexpr Index kRows = detail::GemmTile<T>::kRows;
  constexpr Index kColumns = detail::GemmTile<T>::kColumns;
  for (Index j = 0; j < columns; j += kColumns) {
    const T* b = packed_b + j * depth;
    for (Index i = 0; i < rows; i += kRows) {
      const Index height = std::min(kRows, rows - i);
      detail::gemm_tile_avx2(detail::Tile<T>{depth, packed_a + i * depth, 1, height, b, kColumns, c + i * ldc + j, ldc,
                                             height, std::min(kColumns, columns - j), first, last});
    }
  }
}

template <typename T>
void multiply_packed(const GemmProduct<T>& p) {
  thread_local Panel<T> a_panel;
  thread_local Panel<T> b_panel;
  const Index depth_limit = std::min(kDepth, p.k);
  T* packed_a = a_panel.reserve(std::min(kRowBlock, p.m) * depth_limit);
  T* packed_b = b_panel.reserve(round_up(std::min(kColumnBlock, p.n), detail::GemmTile<T>::kColumns) * depth_limit);
  for (Index j = 0; j < p.n; j += kColumnBlock) {
    const Index columns = std::min(kColumnBlock, p.n - j);
    for (Index q = 0; q < p.k; q += kDepth) {
      const Index depth = std::min(kDepth, p.k - q);
      const T* b = p.b.data + q * p.b_k() + j * p.b_column();
      (p.b.turned ? pack_turned_b<T> : pack_b<T>)(b, p.b.ld, depth, columns, packed_b);
      for (Index i = 0; i < p.m; i += kRowBlock) {
        const Index rows = std::min(kRowBlock, p.m - i);
        const T* a = p.a.data + i * p.a_row() + q * p.a_k();
        (p.a.turned ? pack_turned_a<T> : pack_a<T>)(a, p.a.ld, rows, depth, packed_a);
        multiply_block(packed_a, packed_b, rows, columns, depth, p.c + i * p.ldc + j, p.ldc, q == 0, q + depth == p.k);
      }
    }
  }
}

/// Reads A and B where they are, B not turned: best while they fit the first caches.
template <typename T>
void multiply_in_place(const GemmProduct<T>& p) {
  constexpr Index kRows = detail::GemmTile<T>::kRows;
  constexpr Index kColumns = detail::GemmTile<T>::kColumns;
  for (Index j = 0; j < p.n; j += kColumns) {
    for (Index i = 0; i < p.m; i += kRows) {
      detail::gemm_tile_avx2(detail::Tile<T>{p.k, p.a.data + i * p.a_row(), p.a_row(), p.a_k(), p.b.data + j, p.b.ld,
                                             p.c + i * p.ldc + j, p.ldc, std::min(kRows, p.m - i),
                                             std::min(kColumns, p.n - j), true, true});
    }
  }
}

/// Chooses a path by size; all give the same bits.
template <typename T>
void multiply_avx2(const GemmProduct<T>& p) {
  constexpr Index kSmallB = 65536 / static_cast<Index>(sizeof(T));
  constexpr Index kSmallVolume = 128 * 128 * 128;  // beyond, packing pays
  constexpr Index kFewRows = 4;
  const bool small = p.m * p.n * p.k <= kSmallVolume || p.m <= 2 * detail::GemmTile<T>::kRows;
  if (small && p.n * p.k <= kSmallB && !p.b.turned) return multiply_in_place(p);
  if (p.m <= kFewRows && p.n >= detail::GemmTile<T>::kColumns && !p.a.turned && !p.b.turned) {
    return detail::gemm_few_rows_avx2(p.m, p.n, p.k, p.a.data, p.a.ld, p.b.data, p.b.ld, p.c, p.ldc);
  }
  multiply_packed(p);
}

#endif  // ISOSHARD_HAVE_AVX2

template <typename T>
void multiply_part(Isa isa, const GemmProduct<T>& p) {
#if ISOSHARD_HAVE_AVX512
  if (isa == Isa::avx512) return detail::gemm_avx512(p);
#endif
#if ISOSHARD_HAVE_AVX2
  if (isa == Isa::avx2) return multiply_avx2(p);
#endif
  static_cast<void>(isa);
  multiply_scalar(p);
}

template <typename T>
void multiply(Isa isa, const GemmProduct<T>& p) {
  ISOSHARD_CHECK(p.m >= 0 && p.n >= 0 && p.k >= 0, "a matrix product with a negative size");
  if (p.m == 0 || p.n == 0) return;
  if (p.k == 0) return fill_zero(p);
  detail::split_product(p.m, p.n, p.k, [&](const detail::ProductPart& part) {
    GemmProduct<T> q = p;
    q.m = part.rows;
    q.n = part.columns;
    q.a.data += part.row * p.a_row();
    q.b.data += part.column * p.b_column();
    q.c += part.row * p.ldc + part.column;
    multiply_part(isa, q);
  });
}

}  // namespace

void gemm(Isa isa, Index m, Index n, Index k, GemmOperand<float> a, GemmOperand<float> b, float* c, Index ldc) {
  multiply(isa, GemmProduct<float>{m, n, k, a, b, c, ldc});
}

void gemm(Isa isa, Index m, Index n, Index k, GemmOperand<double> a, GemmOperand<double> b, double* c, Index ldc) {
  multiply(isa, GemmProduct<double>{m, n, k, a, b, c, ldc});
}

void gemm(Isa isa, Index m, Index n, Index k, const float* a, Index lda, const float* b, Index ldb, float* c,
          Index ldc) {
  gemm(isa, m, n, k, GemmOperand<float>{a, lda}, GemmOperand<float>{b, ldb}, c, ldc);
}

void gemm(Isa isa, Index m, Index n, Index k, const double* a, Index lda, const double* b, Index ldb, double* c,
          Index ldc) {
  gemm(isa, m, n, k, GemmOperand<double>{a, lda}, GemmOperand<double>{b, ldb}, c, ldc);
}

}  // namespace isoshard::sim
