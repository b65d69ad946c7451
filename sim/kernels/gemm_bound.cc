// Matrix products of numbers with error bounds: given A and B with a bound EA and EB on the error of each element,
// gives A·B and a bound on its error, rounding included (docs/spec/float_bounds.md, "Rounding bounds"). The bound
// itself is calculated in floats; it is raised at the end by more than all of its own roundings can take away. What is
// not finite has an infinite error. Cost: two products, the second one up to twice as deep.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/ir/scalar/format.h"
#include "core/support/check.h"
#include "sim/kernels/dispatch.h"
#include "sim/kernels/gemm.h"
#include "sim/kernels/rounding.h"

// |A|·EB + EA·|B| + EA·EB + gamma·|A|·|B| is the product of [|A|, EA] and [EB + gamma·|B|; |B| + EB], so that the bound
// runs at the speed of gemm, where errors are infinite, too. Infinities and NaNs go through plain loops, in the same
// order of additions.

namespace isoshard::sim {
namespace {

using scalar::fused;
using scalar::magnitude;

struct BoundProduct {
  Index m, n, k;
  BoundMatrix a, b;
  BoundResult c;
  double gamma;
};

/// `found` becomes other than 0 where a row has an infinity or a NaN; of the next, another number than 0.
struct FindNotFinite {
  ISOSHARD_SCALAR static void run(const double* x, Index n, std::uint64_t* found) {
    std::uint64_t largest = 0;
    for (Index j = 0; j < n; ++j) largest = std::max(largest, scalar::bits_as<std::uint64_t>(x[j]) << 1);
    *found |= static_cast<std::uint64_t>(largest >= scalar::bits_as<std::uint64_t>(kInfinity) << 1);
  }
};
struct FindNotZero {
  ISOSHARD_SCALAR static void run(const double* x, Index n, std::uint64_t* found) {
    std::uint64_t bits = 0;
    for (Index j = 0; j < n; ++j) bits |= scalar::bits_as<std::uint64_t>(x[j]) << 1;
    *found |= bits;
  }
};

/// Whether `Find` finds anything in a matrix.
template <typename Find>
bool finds(Isa isa, Index rows, Index columns, const double* x, Index ld) {
  std::uint64_t found = 0;
  for (Index i = 0; i < rows && found == 0; ++i) dispatch<Find>(isa, x + i * ld, columns, &found);
  return found != 0;
}

bool all_finite(Isa isa, Index rows, Index columns, const double* x, Index ld) {
  return !finds<FindNotFinite>(isa, rows, columns, x, ld);
}

bool all_finite(Isa isa, Index rows, Index columns, BoundMatrix x) {
  return all_finite(isa, rows, columns, x.value, x.ld) && all_finite(isa, rows, columns, x.error, x.ld);
}

/// A factor of which some errors are infinite, with 0 in place of these.
class Unbounded {
 public:
  Unbounded(Index rows, Index columns, BoundMatrix x)
      : columns_(columns),
        value_(x.value),
        row_(static_cast<std::size_t>(rows), 0),
        column_(static_cast<std::size_t>(columns), 0) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        const double error = x.error[i * x.ld + j];
        errors_.push_back(error < kInfinity ? error : 0);
        if (error < kInfinity) continue;
        row_[static_cast<std::size_t>(i)] = 1;
        column_[static_cast<std::size_t>(j)] = 1;
      }
    }
  }

  BoundMatrix finite() const { return {value_, errors_.data(), columns_}; }  ///< rows follow each other
  bool has_row(Index i) const { return row_[static_cast<std::size_t>(i)] != 0; }
  bool has_column(Index j) const { return column_[static_cast<std::size_t>(j)] != 0; }

 private:
  Index columns_;
  const double* value_;
  std::vector<double> errors_;
  std::vector<std::uint8_t> row_, column_;
};

/// The factor of |a| in the error.
ISOSHARD_SCALAR double first_weight(double gamma, double b, double b_error) {
  return fused(gamma, magnitude(b), b_error);
}

/// The factor of a's error in the error.
ISOSHARD_SCALAR double second_weight(double b, double b_error) { return magnitude(b) + b_error; }

struct MagnitudeRow {
  ISOSHARD_SCALAR static void run(const double* x, double* y, Index n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (Index j = 0; j < n; ++j) y[j] = magnitude(x[j]);
  }
};
struct FirstWeightRow {
  ISOSHARD_SCALAR static void run(double gamma, const double* b, const double* b_error, double* y, Index n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (Index j = 0; j < n; ++j) y[j] = first_weight(gamma, b[j], b_error[j]);
  }
};
struct SecondWeightRow {
  ISOSHARD_SCALAR static void run(const double* b, const double* b_error, double* y, Index n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (Index j = 0; j < n; ++j) y[j] = second_weight(b[j], b_error[j]);
  }
};

void multiply_finite(Isa isa, const BoundProduct& p) {
  const Index halves = finds<FindNotZero>(isa, p.m, p.k, p.a.error, p.a.ld) ? 2 : 1;
  const Index depth = halves * p.k;
  std::vector<double> left(static_cast<std::size_t>(p.m * depth));
  std::vector<double> right(static_cast<std::size_t>(depth * p.n));
  for (Index i = 0; i < p.m; ++i) {
    double* row = left.data() + i * depth;
    dispatch<MagnitudeRow>(isa, p.a.value + i * p.a.ld, row, p.k);
    if (halves == 2) std::copy_n(p.a.error + i * p.a.ld, p.k, row + p.k);
  }
  for (Index q = 0; q < p.k; ++q) {
    const double* b = p.b.value + q * p.b.ld;
    const double* b_error = p.b.error + q * p.b.ld;
    double* first = right.data() + q * p.n;
    dispatch<FirstWeightRow>(isa, p.gamma, b, b_error, first, p.n);
    if (halves == 1) continue;
    dispatch<SecondWeightRow>(isa, b, b_error, first + p.k * p.n, p.n);
  }
  gemm(isa, p.m, p.n, p.k, p.a.value, p.a.ld, p.b.value, p.b.ld, p.c.value, p.c.ld);
  gemm(isa, p.m, p.n, depth, left.data(), depth, right.data(), p.n, p.c.error, p.c.ld);
}

/// One row of C term by term, first the terms with |a|, then those with a's error. An infinite error makes that of the
/// result infinite or nan, also behind a factor 0, since what has one may be no number.
struct MultiplyRow {
  ISOSHARD_SCALAR static void run(const BoundProduct* p, Index i) {
    double* const value = p->c.value + i * p->c.ld;
    double* const error = p->c.error + i * p->c.ld;
    std::fill_n(value, p->n, 0.0);
    std::fill_n(error, p->n, 0.0);
    for (Index q = 0; q < p->k; ++q) {
      const double a = p->a.value[i * p->a.ld + q];
      for (Index j = 0; j < p->n; ++j) {
        const double b = p->b.value[q * p->b.ld + j], b_error = p->b.error[q * p->b.ld + j];
        value[j] = fused(a, b, value[j]);
        error[j] = fused(magnitude(a), first_weight(p->gamma, b, b_error), error[j]);
      }
    }
    for (Index q = 0; q < p->k; ++q) {
      const double a_error = p->a.error[i * p->a.ld + q];
      for (Index j = 0; j < p->n; ++j) {
        const double b = p->b.value[q * p->b.ld + j], b_error = p->b.error[q * p->b.ld + j];
        error[j] = fused(a_error, second_weight(b, b_error), error[j]);
      }
    }
    for (Index j = 0; j < p->n; ++j) value[j] = scalar::canonical(value[j]);
  }
};

/// Finite values: an error is infinite where a term has an infinite one.
void multiply_unbounded(Isa isa, BoundProduct p) {
  const Unbounded a(p.m, p.k, p.a), b(p.k, p.n, p.b);
  p.a = a.finite();
  p.b = b.finite();
  multiply_finite(isa, p);
  for (Index i = 0; i < p.m; ++i) {
    for (Index j = 0; j < p.n; ++j) {
      if (a.has_row(i) || b.has_column(j)) p.c.error[i * p.c.ld + j] = kInfinity;
    }
  }
}

/// Adds the rounding of the result; what is not finite gets an infinite error.
struct FinishRow {
  ISOSHARD_SCALAR static void run(double raise, const double* value, double* error, Index n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (Index j = 0; j < n; ++j) {
      const double size = magnitude(value[j]);
      const double bound = fused(kUnit, size, error[j]) * raise;
      error[j] = size < kInfinity && bound < kInfinity ? bound : kInfinity;
    }
  }
};

}  // namespace

void gemm_bound(Isa isa, Index m, Index n, Index k, BoundMatrix a, BoundMatrix b, BoundResult c) {
  ISOSHARD_CHECK(m >= 0 && n >= 0 && k >= 0, "a matrix product with a negative size");
  const double roundings = static_cast<double>(k) * kUnit;
  const BoundProduct p{m, n, k, a, b, c, roundings / (1 - roundings)};
  if (all_finite(isa, m, k, a) && all_finite(isa, k, n, b)) {
    multiply_finite(isa, p);
  } else if (all_finite(isa, m, k, a.value, a.ld) && all_finite(isa, k, n, b.value, b.ld) && a.ld == k && b.ld == n) {
    multiply_unbounded(isa, p);
  } else {
    for (Index i = 0; i < m; ++i) dispatch<MultiplyRow>(isa, &p, i);
  }
  // The error is itself a rounded sum of non-negative terms: fewer than 2k + 8 roundings.
  const double raise = 1 + (2 * static_cast<double>(k) + 8) * kUnit * 2;
  for (Index i = 0; i < m; ++i) {
    const double* value = c.value + i * c.ld;
    dispatch<FinishRow>(isa, raise, value, c.error + i * c.ld, n);
  }
}

}  // namespace isoshard::sim
