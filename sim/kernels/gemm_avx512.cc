// The matrix product for AVX-512, with the chains of the portable kernel (docs/adr/0005-own-matmul.md): only the order
// in which elements of C are visited is its own. A tile has up to 14 rows times two vectors of columns, whose 28
// accumulators leave four of the 32 registers for B and A. Of A a panel of one tile's rows is packed on the stack,
// where it stays in the first cache while the strips of B, packed for the second, pass by it; few rows read B where it
// is, in wider tiles. Panels are transposed in registers, and C is fetched a tile ahead. f32 and f64 share the code
// through a struct of vector functions each. Cost: 2 m n k flops; packing touches each element of A once per 1024
// columns of f32, of B once.
#include "sim/kernels/gemm_tile.h"

#if ISOSHARD_HAVE_AVX512

#include <immintrin.h>

#include <algorithm>
#include <cstddef>

#include "core/ir/scalar/format.h"
#include "sim/kernels/panel.h"

namespace isoshard::sim::detail {
namespace {

#define ISOSHARD_UNROLL_16 _Pragma("GCC unroll 16")

constexpr Index kPanelRows = 14, kWideRows = 8, kWidestRows = 4;
constexpr Index kAhead = 8;          // rows of B that are fetched before they are read
constexpr Index kRowsInPlace = 64;   // as many read B too seldom for packing to pay
constexpr Index kPanelBytes = 2048;  // of one row of a panel of A: 28 KiB
constexpr Index kBlockBytes = 4096;  // of one row of a block of B

struct F32x16 {
  using Scalar = float;
  using Vector = __m512;
  using Mask = __mmask16;
  static constexpr int kWidth = 16;
  ISOSHARD_AVX512_INLINE static Vector zero() { return _mm512_setzero_ps(); }
  ISOSHARD_AVX512_INLINE static Vector load(const float* p) { return _mm512_loadu_ps(p); }
  ISOSHARD_AVX512_INLINE static Vector load(const float* p, Mask mask) { return _mm512_maskz_loadu_ps(mask, p); }
  ISOSHARD_AVX512_INLINE static void store(float* p, Mask mask, Vector v) { _mm512_mask_storeu_ps(p, mask, v); }
  ISOSHARD_AVX512_INLINE static Vector all(const float* p) { return _mm512_set1_ps(*p); }
  ISOSHARD_AVX512_INLINE static Vector fused(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
  ISOSHARD_AVX512_INLINE static Vector canonical(Vector v) {
    const Vector nan = _mm512_set1_ps(scalar::canonical_nan<float>());
    return _mm512_mask_mov_ps(v, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), nan);
  }
  /// rows[i][j] becomes rows[j][i].
  ISOSHARD_AVX512_INLINE static void transpose(Vector (&rows)[16]) {
    __m512d pairs[16];
    ISOSHARD_UNROLL_16
    for (int i = 0; i < 16; i += 4) {
      const Vector a = _mm512_unpacklo_ps(rows[i], rows[i + 1]), b = _mm512_unpackhi_ps(rows[i], rows[i + 1]);
      const Vector c = _mm512_unpacklo_ps(rows[i + 2], rows[i + 3]), d = _mm512_unpackhi_ps(rows[i + 2], rows[i + 3]);
      pairs[i] = _mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(c));
      pairs[i + 1] = _mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(c));
      pairs[i + 2] = _mm512_unpacklo_pd(_mm512_castps_pd(b), _mm512_castps_pd(d));
      pairs[i + 3] = _mm512_unpackhi_pd(_mm512_castps_pd(b), _mm512_castps_pd(d));
    }
    ISOSHARD_UNROLL_16
    for (int i = 0; i < 4; ++i) {  // blocks of 4 x 4 remain, one per lane of 128 bits
      const Vector a = _mm512_castpd_ps(pairs[i]), b = _mm512_castpd_ps(pairs[i + 4]);
      const Vector c = _mm512_castpd_ps(pairs[i + 8]), d = _mm512_castpd_ps(pairs[i + 12]);
      const Vector ab_even = _mm512_shuffle_f32x4(a, b, 0x88), ab_odd = _mm512_shuffle_f32x4(a, b, 0xdd);
      const Vector cd_even = _mm512_shuffle_f32x4(c, d, 0x88), cd_odd = _mm512_shuffle_f32x4(c, d, 0xdd);
      rows[i] = _mm512_shuffle_f32x4(ab_even, cd_even, 0x88);
      rows[i + 4] = _mm512_shuffle_f32x4(ab_odd, cd_odd, 0x88);
      rows[i + 8] = _mm512_shuffle_f32x4(ab_even, cd_even, 0xdd);
      rows[i + 12] = _mm512_shuffle_f32x4(ab_odd, cd_odd, 0xdd);
    }
  }
};

struct F64x8 {
  using Scalar = double;
  using Vector = __m512d;
  using Mask = __mmask8;
  static constexpr int kWidth = 8;
  ISOSHARD_AVX512_INLINE static Vector zero() { return _mm512_setzero_pd(); }
  ISOSHARD_AVX512_INLINE static Vector load(const double* p) { return _mm512_loadu_pd(p); }
  ISOSHARD_AVX512_INLINE static Vector load(const double* p, Mask mask) { return _mm512_maskz_loadu_pd(mask, p); }
  ISOSHARD_AVX512_INLINE static void store(double* p, Mask mask, Vector v) { _mm512_mask_storeu_pd(p, mask, v); }
  ISOSHARD_AVX512_INLINE static Vector all(const double* p) { return _mm512_set1_pd(*p); }
  ISOSHARD_AVX512_INLINE static Vector fused(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
  ISOSHARD_AVX512_INLINE static Vector canonical(Vector v) {
    const Vector nan = _mm512_set1_pd(scalar::canonical_nan<double>());
    return _mm512_mask_mov_pd(v, _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q), nan);
  }
  ISOSHARD_AVX512_INLINE static void transpose(Vector (&rows)[8]) {
    Vector pairs[8];
    ISOSHARD_UNROLL_16
    for (int i = 0; i < 8; i += 2) {
      pairs[i] = _mm512_unpacklo_pd(rows[i], rows[i + 1]);
      pairs[i + 1] = _mm512_unpackhi_pd(rows[i], rows[i + 1]);
    }
    ISOSHARD_UNROLL_16
    for (int i = 0; i < 2; ++i) {  // blocks of 2 x 2 remain, one per lane of 128 bits
      const Vector ab_even = _mm512_shuffle_f64x2(pairs[i], pairs[i + 2], 0x88);
      const Vector ab_odd = _mm512_shuffle_f64x2(pairs[i], pairs[i + 2], 0xdd);
      const Vector cd_even = _mm512_shuffle_f64x2(pairs[i + 4], pairs[i + 6], 0x88);
      const Vector cd_odd = _mm512_shuffle_f64x2(pairs[i + 4], pairs[i + 6], 0xdd);
      rows[i] = _mm512_shuffle_f64x2(ab_even, cd_even, 0x88);
      rows[i + 2] = _mm512_shuffle_f64x2(ab_odd, cd_odd, 0x88);
      rows[i + 4] = _mm512_shuffle_f64x2(ab_even, cd_even, 0xdd);
      rows[i + 6] = _mm512_shuffle_f64x2(ab_odd, cd_odd, 0xdd);
    }
  }
};

/// The lanes of V below `count`.
template <typename V>
ISOSHARD_AVX512_INLINE typename V::Mask lanes_below(Index count) {
  const Index bits = std::clamp<Index>(count, 0, V::kWidth);
  return static_cast<typename V::Mask>((1U << bits) - 1);
}

/// One tile of C and the operands of a stretch of k: A as [k, rows], B as rows of columns.
template <typename T>
struct PanelTile {
  Index k;
  const T* a;
  const T* b;
  Index b_k;  ///< from one row of B to the next
  T* c;
  Index c_row;
  Index columns;
  bool first, last;  ///< as in Tile
};

template <typename V, int kRows, int kVectors>
ISOSHARD_TARGET_AVX512 void run_panel(const PanelTile<typename V::Scalar>& tile) {
  using T = typename V::Scalar;
  typename V::Mask masks[static_cast<std::size_t>(kVectors)];
  typename V::Vector c[static_cast<std::size_t>(kRows)][static_cast<std::size_t>(kVectors)];
  ISOSHARD_UNROLL_16
  for (int v = 0; v < kVectors; ++v) masks[v] = lanes_below<V>(tile.columns - v * V::kWidth);
  ISOSHARD_UNROLL_16
  for (int i = 0; i < kRows; ++i) {
    const T* row = tile.c + i * tile.c_row;
    ISOSHARD_UNROLL_16
    for (int v = 0; v < kVectors; ++v) {
      c[i][v] = tile.first ? V::zero() : V::load(row + v * V::kWidth, masks[v]);
      _mm_prefetch(row + (kVectors + v) * V::kWidth, _MM_HINT_T0);
    }
  }
  const T* a = tile.a;
  const T* b = tile.b;
  for (Index k = tile.k; k > 0; --k, a += kRows, b += tile.b_k) {
    typename V::Vector x[static_cast<std::size_t>(kVectors)];
    ISOSHARD_UNROLL_16
    for (int v = 0; v < kVectors; ++v) {
      x[v] = V::load(b + v * V::kWidth, masks[v]);
      _mm_prefetch(b + kAhead * tile.b_k + v * V::kWidth, _MM_HINT_T0);
    }
    ISOSHARD_UNROLL_16
    for (int i = 0; i < kRows; ++i) {
      const typename V::Vector factor = V::all(a + i);
      ISOSHARD_UNROLL_16
      for (int v = 0; v < kVectors; ++v) c[i][v] = V::fused(factor, x[v], c[i][v]);
    }
  }
  ISOSHARD_UNROLL_16
  for (int i = 0; i < kRows; ++i) {
    ISOSHARD_UNROLL_16
    for (int v = 0; v < kVectors; ++v) {
      V::store(tile.c + i * tile.c_row + v * V::kWidth, masks[v], tile.last ? V::canonical(c[i][v]) : c[i][v]);
    }
  }
}

template <typename T>
using RunPanel = void (*)(const PanelTile<T>&);

/// By the rows of a tile, of two vectors of columns.
template <typename V>
constexpr RunPanel<typename V::Scalar> kPanels[] = {
    run_panel<V, 1, 2>,  run_panel<V, 2, 2>,  run_panel<V, 3, 2>,  run_panel<V, 4, 2>, run_panel<V, 5, 2>,
    run_panel<V, 6, 2>,  run_panel<V, 7, 2>,  run_panel<V, 8, 2>,  run_panel<V, 9, 2>, run_panel<V, 10, 2>,
    run_panel<V, 11, 2>, run_panel<V, 12, 2>, run_panel<V, 13, 2>, run_panel<V, 14, 2>};

/// The same of as many vectors as the registers hold accumulators of.
template <typename V>
constexpr RunPanel<typename V::Scalar> kWidePanels[] = {run_panel<V, 1, 6>, run_panel<V, 2, 6>, run_panel<V, 3, 6>,
                                                        run_panel<V, 4, 6>, run_panel<V, 5, 3>, run_panel<V, 6, 3>,
                                                        run_panel<V, 7, 3>, run_panel<V, 8, 3>};

/// Transposes [rows, depth] with `ld` from row to row to [depth, out_row], writing `width` columns; those from `rows`
/// on are 0.
template <typename V>
ISOSHARD_TARGET_AVX512 void pack_columns512(const typename V::Scalar* x, Index ld, Index rows, Index depth, Index width,
                                            typename V::Scalar* out, Index out_row) {
  const typename V::Mask columns = lanes_below<V>(width);
  for (Index q = 0; q < depth; q += V::kWidth) {
    const typename V::Mask some = lanes_below<V>(depth - q);
    typename V::Vector block[static_cast<std::size_t>(V::kWidth)];
    ISOSHARD_UNROLL_16
    for (int i = 0; i < V::kWidth; ++i) block[i] = i < rows ? V::load(x + i * ld + q, some) : V::zero();
    V::transpose(block);
    const Index count = std::min<Index>(V::kWidth, depth - q);
    ISOSHARD_UNROLL_16
    for (int i = 0; i < V::kWidth; ++i) {
      if (i < count) V::store(out + (q + i) * out_row, columns, block[i]);
    }
  }
}

/// Copies [depth, width] to rows of out_row.
template <typename V>
ISOSHARD_TARGET_AVX512 void pack_rows512(const typename V::Scalar* x, Index ld, Index depth, Index width, Index stored,
                                         typename V::Scalar* out, Index out_row) {
  const typename V::Mask mask0 = lanes_below<V>(width), mask1 = lanes_below<V>(width - V::kWidth);
  const typename V::Mask out0 = lanes_below<V>(stored), out1 = lanes_below<V>(stored - V::kWidth);
  for (Index q = 0; q < depth; ++q, x += ld, out += out_row) {
    _mm_prefetch(x + 2 * kAhead * ld, _MM_HINT_T0);
    _mm_prefetch(x + 2 * kAhead * ld + V::kWidth, _MM_HINT_T0);
    V::store(out, out0, V::load(x, mask0));
    V::store(out + V::kWidth, out1, V::load(x + V::kWidth, mask1));
  }
}

/// Rows [i, i + rows) of a stretch of k as [depth, rows].
template <typename V, typename T>
void pack_a512(const GemmProduct<T>& p, Index i, Index q, Index rows, Index depth, T* out) {
  const T* a = p.a.data + i * p.a_row() + q * p.a_k();
  if (p.a.turned) return pack_rows512<V>(a, p.a.ld, depth, rows, rows, out, rows);
  for (Index r = 0; r < rows; r += V::kWidth) {
    const Index height = std::min<Index>(V::kWidth, rows - r);
    pack_columns512<V>(a + r * p.a.ld, p.a.ld, height, depth, height, out + r, rows);
  }
}

/// Strips of two vectors, each [depth, strip]; columns past the edge are 0.
template <typename V, typename T>
void pack_b512(const GemmProduct<T>& p, Index j, Index q, Index columns, Index depth, T* out) {
  constexpr Index kStrip = 2 * V::kWidth;
  const T* b = p.b.data + q * p.b_k() + j * p.b_column();
  for (Index s = 0; s < columns; s += kStrip, out += kStrip * depth) {
    const Index width = std::min(kStrip, columns - s);
    if (!p.b.turned) {
      pack_rows512<V>(b + s, p.b.ld, depth, width, kStrip, out, kStrip);
      continue;
    }
    for (Index c = 0; c < kStrip; c += V::kWidth) {
      const Index there = std::clamp<Index>(width - c, 0, V::kWidth);
      pack_columns512<V>(b + (s + c) * p.b.ld, p.b.ld, there, depth, V::kWidth, out + c, kStrip);
    }
  }
}

/// The smallest equal parts of `whole` of at most `limit`.
Index equal_parts(Index whole, Index limit) {
  const Index parts = (whole + limit - 1) / limit;
  return (whole + parts - 1) / parts;
}

/// How a product is cut: into tiles of `rows`, and blocks of `columns` and `depth`.
template <typename V>
struct Cuts512 {
  Index rows, columns, depth;
  Index strip;  ///< the columns of a tile
  bool packed;  ///< whether B is

  template <typename T>
  explicit Cuts512(const GemmProduct<T>& p)
      : rows(equal_parts(p.m, kPanelRows)),
        columns(std::min<Index>(kBlockBytes / sizeof(T), p.n)),
        depth(equal_parts(p.k, kPanelBytes / sizeof(T))),
        strip(2 * V::kWidth),
        packed(p.b.turned || p.m > kRowsInPlace) {
    if (wide()) strip = (rows <= kWidestRows ? 6 : 3) * V::kWidth;
  }
  bool wide() const { return !packed && rows <= kWideRows; }
  RunPanel<typename V::Scalar> tile(Index height) const {
    return wide() ? kWidePanels<V>[height - 1] : kPanels<V>[height - 1];
  }
};

/// C[:, j, j + columns) takes up the stretch [q, q + depth) of k; b are the rows, or strips of packed ones.
template <typename V, typename T>
void multiply_block512(const GemmProduct<T>& p, const Cuts512<V>& cuts, Index j, Index q, const T* b, T* panel) {
  const Index columns = std::min(cuts.columns, p.n - j), depth = std::min(cuts.depth, p.k - q);
  const Index b_k = cuts.packed ? cuts.strip : p.b.ld, b_strip = cuts.packed ? cuts.strip * depth : cuts.strip;
  for (Index i = 0; i < p.m; i += cuts.rows) {
    const Index rows = std::min(cuts.rows, p.m - i);
    pack_a512<V>(p, i, q, rows, depth, panel);
    const auto run = cuts.tile(rows);
    T* const c = p.c + i * p.ldc + j;
    const T* strip = b;
    for (Index s = 0; s < columns; s += cuts.strip, strip += b_strip) {
      run({depth, panel, strip, b_k, c + s, p.ldc, std::min(cuts.strip, columns - s), q == 0, q + depth == p.k});
    }
  }
}

template <typename V, typename T>
void multiply512(const GemmProduct<T>& p) {
  thread_local Panel<T> block;
  alignas(64) T panel[static_cast<std::size_t>(kPanelRows * kPanelBytes) / sizeof(T)];
  const Cuts512<V> cuts(p);
  T* const packed = cuts.packed ? block.reserve((cuts.columns + cuts.strip) * cuts.depth) : nullptr;
  for (Index j = 0; j < p.n; j += cuts.columns) {
    for (Index q = 0; q < p.k; q += cuts.depth) {
      if (cuts.packed) pack_b512<V>(p, j, q, std::min(cuts.columns, p.n - j), std::min(cuts.depth, p.k - q), packed);
      multiply_block512(p, cuts, j, q, cuts.packed ? packed : p.b.data + q * p.b.ld + j, panel);
    }
  }
}

}  // namespace

void gemm_avx512(const GemmProduct<float>& p) { multiply512<F32x16>(p); }
void gemm_avx512(const GemmProduct<double>& p) { multiply512<F64x8>(p); }

}  // namespace isoshard::sim::detail

#endif  // ISOSHARD_HAVE_AVX512
