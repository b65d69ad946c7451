// Products modulo a number below 2^30: eight products of entries and a sum below 8 modulus^2 fit 64 bits, so every
// eight terms 8 modulus^2 is taken off once where it can be, and one division ends each sum.
//
// A tile of 4 rows and 16 columns keeps its sums in registers. B is packed by columns of a tile, in 32 bits.
#include "sim/kernels/gemm_modulo.h"

#include <algorithm>
#include <vector>

#include "core/support/check.h"
#include "sim/kernels/dispatch.h"

namespace isoshard::sim {
namespace {

constexpr Index kModuloRows = 4, kModuloColumns = 8, kModuloTerms = 8;

struct ModuloProduct {
  std::uint64_t modulus;
  Index m, n, k;
  const std::uint64_t* a;
  const std::uint64_t* b;
  std::uint64_t* c;
};

/// Columns [first, first + kModuloColumns) of B as rows of kModuloColumns; those that B does not have are 0.
void pack_columns(const ModuloProduct& p, Index first, std::uint32_t* packed) {
  const Index width = std::min(kModuloColumns, p.n - first);
  for (Index k = 0; k < p.k; ++k, packed += kModuloColumns) {
    const std::uint64_t* row = p.b + k * p.n + first;
    for (Index j = 0; j < kModuloColumns; ++j) packed[j] = j < width ? static_cast<std::uint32_t>(row[j]) : 0;
  }
}

/// Rows [first, first + kModuloRows) of A, kModuloRows factors for each k; those that A does not have are 0.
void pack_rows(const ModuloProduct& p, Index first, std::uint32_t* packed) {
  const Index height = std::min(kModuloRows, p.m - first);
  for (Index k = 0; k < p.k; ++k) {
    for (Index i = 0; i < kModuloRows; ++i) {
      packed[k * kModuloRows + i] = i < height ? static_cast<std::uint32_t>(p.a[(first + i) * p.k + k]) : 0;
    }
  }
}

struct ModuloTile {
  __attribute__((always_inline)) static void run(Index k, std::uint64_t square8, const std::uint32_t* a,
                                                 const std::uint32_t* b, std::uint64_t* sums) {
    std::uint64_t s[kModuloRows * kModuloColumns] = {};
    for (Index t = 0; t < k; t += kModuloTerms) {
      const Index end = std::min(k, t + kModuloTerms);
      for (Index u = t; u < end; ++u) {
        for (Index i = 0; i < kModuloRows; ++i) {
          const std::uint64_t factor = a[u * kModuloRows + i];
          for (Index j = 0; j < kModuloColumns; ++j)
            s[i * kModuloColumns + j] += factor * std::uint64_t{b[u * kModuloColumns + j]};
        }
      }
      for (std::uint64_t& sum : s) sum = sum >= square8 ? sum - square8 : sum;
    }
    std::copy_n(s, kModuloRows * kModuloColumns, sums);
  }
};

}  // namespace

void gemm_modulo(Isa isa, std::uint32_t modulus, Index m, Index n, Index k, const std::uint64_t* a,
                 const std::uint64_t* b, std::uint64_t* c) {
  ISOSHARD_CHECK(modulus >> 30 == 0 && m >= 0 && n >= 0 && k >= 0, "a product modulo a number below 2^30");
  const ModuloProduct p{modulus, m, n, k, a, b, c};
  const std::uint64_t square8 = 8 * p.modulus * p.modulus;
  const Index tiles = (m + kModuloRows - 1) / kModuloRows;
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(tiles * kModuloRows * k));
  std::vector<std::uint32_t> columns(static_cast<std::size_t>(kModuloColumns * k));
  for (Index t = 0; t < tiles; ++t) pack_rows(p, t * kModuloRows, rows.data() + t * kModuloRows * k);
  for (Index first = 0; first < n; first += kModuloColumns) {
    pack_columns(p, first, columns.data());
    for (Index t = 0; t < tiles; ++t) {
      std::uint64_t sums[kModuloRows * kModuloColumns];
      dispatch<ModuloTile>(isa, k, square8, static_cast<const std::uint32_t*>(rows.data() + t * kModuloRows * k),
                           static_cast<const std::uint32_t*>(columns.data()), static_cast<std::uint64_t*>(sums));
      const Index height = std::min(kModuloRows, m - t * kModuloRows), width = std::min(kModuloColumns, n - first);
      for (Index i = 0; i < height; ++i) {
        for (Index j = 0; j < width; ++j)
          c[(t * kModuloRows + i) * n + first + j] = sums[i * kModuloColumns + j] % p.modulus;
      }
    }
  }
}

}  // namespace isoshard::sim
