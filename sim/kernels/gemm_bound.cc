#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ir/scalar/format.h"
#include "core/support/check.h"
#include "sim/kernels/gemm.h"

namespace isoshard::sim {
namespace {

using Index = std::int64_t;
using scalar::fused;
using scalar::magnitude;

constexpr double kUnit = 0x1p-53;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kWidth = 256;

/// A stretch of one row of C while its terms come in.
struct Row {
  double value[kWidth];
  double error[kWidth];  ///< from the errors of A and B
  double size[kWidth];   ///< |A|·|B|
};

/// One entry of A and the row of B it meets.
struct Term {
  double a;
  double a_error;
  const double* b;
  const double* b_error;
};

/// a and its error are finite: an exact 0 in B gives 0 by itself.
ISOSHARD_SCALAR void add_finite(const Term& t, Index width, Row& row) {
  const double a_size = magnitude(t.a);
  for (Index j = 0; j < width; ++j) {
    const double b_size = magnitude(t.b[j]);
    row.value[j] = fused(t.a, t.b[j], row.value[j]);
    row.size[j] = fused(a_size, b_size, row.size[j]);
    row.error[j] = fused(a_size, t.b_error[j], fused(t.a_error, b_size + t.b_error[j], row.error[j]));
  }
}

void add_infinite(const Term& t, Index width, Row& row) {
  const double a_size = magnitude(t.a);
  for (Index j = 0; j < width; ++j) {
    const double b_size = magnitude(t.b[j]);
    if (b_size == 0 && t.b_error[j] == 0) continue;
    row.value[j] = fused(t.a, t.b[j], row.value[j]);
    row.size[j] = fused(a_size, b_size, row.size[j]);
    row.error[j] = fused(a_size, t.b_error[j], fused(t.a_error, b_size + t.b_error[j], row.error[j]));
  }
}

ISOSHARD_SCALAR void add_terms(Index k, BoundMatrix a, BoundMatrix b, Index width, Row& row) {
  for (Index q = 0; q < k; ++q) {
    const Term term{a.value[q], a.error[q], b.value + q * b.ld, b.error + q * b.ld};
    if (term.a == 0 && term.a_error == 0) continue;
    if (magnitude(term.a) < kInfinity && term.a_error < kInfinity) {
      add_finite(term, width, row);
    } else {
      add_infinite(term, width, row);
    }
  }
}

void add_terms_scalar(Index k, BoundMatrix a, BoundMatrix b, Index width, Row& row) { add_terms(k, a, b, width, row); }

ISOSHARD_TARGET_AVX2 void add_terms_avx2(Index k, BoundMatrix a, BoundMatrix b, Index width, Row& row) {
  add_terms(k, a, b, width, row);
}

void finish(Index k, Index width, const Row& row, double* value, double* error) {
  const double terms = static_cast<double>(k);
  const double gamma = terms * kUnit / (1 - terms * kUnit);
  // The sums of non-negative numbers above, and this one, are themselves rounded: at most 2k + 8 times each.
  const double raise = 1 + (2 * terms + 8) * kUnit * 2;
  for (Index j = 0; j < width; ++j) {
    const double c = scalar::canonical(row.value[j]);
    const double e = (row.error[j] + gamma * row.size[j] + kUnit * magnitude(c)) * raise;
    value[j] = c;
    error[j] = magnitude(c) < kInfinity && e < kInfinity ? e : kInfinity;
  }
}

}  // namespace

void gemm_bound(Isa isa, Index m, Index n, Index k, BoundMatrix a, BoundMatrix b, BoundResult c) {
  ISOSHARD_CHECK(m >= 0 && n >= 0 && k >= 0, "a matrix product with a negative size");
  Row row;
  for (Index first = 0; first < n; first += kWidth) {
    const Index width = std::min(kWidth, n - first);
    const BoundMatrix columns{b.value + first, b.error + first, b.ld};
    for (Index i = 0; i < m; ++i) {
      std::fill_n(row.value, width, 0.0);
      std::fill_n(row.error, width, 0.0);
      std::fill_n(row.size, width, 0.0);
      const BoundMatrix a_row{a.value + i * a.ld, a.error + i * a.ld, a.ld};
      (isa == Isa::avx2 ? add_terms_avx2 : add_terms_scalar)(k, a_row, columns, width, row);
      finish(k, width, row, c.value + i * c.ld + first, c.error + i * c.ld + first);
    }
  }
}

}  // namespace isoshard::sim
