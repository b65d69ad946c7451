// Matrix products of numbers with error bounds: given A and B with a bound EA and EB on the error of each element,
// gives A·B and a bound on its error, rounding included (docs/spec/float_bounds.md, "Rounding bounds"). The bound
// itself is calculated in floats; it is raised at the end by more than all of its own roundings can take away. What is
// not finite has an infinite error. Cost: two products, the second one up to twice as deep, and two more where errors
// are infinite.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/ir/scalar/format.h"
#include "core/support/check.h"
#include "sim/kernels/dispatch.h"
#include "sim/kernels/gemm.h"
#include "sim/kernels/rounding.h"

// |A|·EB + EA·|B| + EA·EB + gamma·|A|·|B| is the product of [|A|, EA] and [EB + gamma·|B|; |B| + EB], so that the bound
// runs at the speed of gemm. So do infinite errors of finite values: a second product counts the terms that make a
// result's error infinite. Other infinities and NaNs need a look at each factor first and go through plain loops, in
// the same order of additions.

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

/// A factor of which some errors are infinite.
class Unbounded {
 public:
  Unbounded(Index rows, Index columns, BoundMatrix x) : columns_(columns), value_(x.value) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        const double value = x.value[i * x.ld + j], error = x.error[i * x.ld + j];
        const bool infinite = !(error < kInfinity);
        errors_.push_back(infinite ? 0 : error);
        infinite_.push_back(infinite ? 1 : 0);
        not_zero_.push_back(value != 0 || error != 0 ? 1 : 0);
      }
    }
  }

  /// With 0 in place of infinite errors; rows follow each other.
  BoundMatrix finite() const { return {value_, errors_.data(), columns_}; }
  const double* infinite() const { return infinite_.data(); }  ///< 1 where the error is, else 0
  const double* not_zero() const { return not_zero_.data(); }  ///< 1 where it is not exactly 0, else 0

 private:
  Index columns_;
  const double* value_;
  std::vector<double> errors_, infinite_, not_zero_;
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

/// nan or an infinity that is no overflow: 0 times it is nan.
ISOSHARD_SCALAR bool exactly_infinite(double value, double error) {
  return !(magnitude(value) < kInfinity) && error == 0;
}

/// Whether a term counts: not with a factor that is exactly 0, unless the other one is exactly infinite.
ISOSHARD_SCALAR bool counts(double a, double a_error, double b, double b_error) {
  const bool exact_zero = (a == 0 && a_error == 0) || (b == 0 && b_error == 0);
  return !exact_zero || exactly_infinite(a, a_error) || exactly_infinite(b, b_error);
}

/// One row of C term by term, first the terms with |a|, then those with a's error.
struct MultiplyRow {
  ISOSHARD_SCALAR static void run(const BoundProduct* p, Index i) {
    double* const value = p->c.value + i * p->c.ld;
    double* const error = p->c.error + i * p->c.ld;
    std::fill_n(value, p->n, 0.0);
    std::fill_n(error, p->n, 0.0);
    for (Index q = 0; q < p->k; ++q) {
      const double a = p->a.value[i * p->a.ld + q], a_error = p->a.error[i * p->a.ld + q];
      for (Index j = 0; j < p->n; ++j) {
        const double b = p->b.value[q * p->b.ld + j], b_error = p->b.error[q * p->b.ld + j];
        if (!counts(a, a_error, b, b_error)) continue;
        value[j] = fused(a, b, value[j]);
        error[j] = fused(magnitude(a), first_weight(p->gamma, b, b_error), error[j]);
      }
    }
    for (Index q = 0; q < p->k; ++q) {
      const double a = p->a.value[i * p->a.ld + q], a_error = p->a.error[i * p->a.ld + q];
      for (Index j = 0; j < p->n; ++j) {
        const double b = p->b.value[q * p->b.ld + j], b_error = p->b.error[q * p->b.ld + j];
        if (counts(a, a_error, b, b_error)) error[j] = fused(a_error, second_weight(b, b_error), error[j]);
      }
    }
    for (Index j = 0; j < p->n; ++j) value[j] = scalar::canonical(value[j]);
  }
};

/// Finite values: an error is infinite where a term has an infinite one and no factor that is exactly 0.
void multiply_unbounded(Isa isa, BoundProduct p) {
  const Unbounded a(p.m, p.k, p.a), b(p.k, p.n, p.b);
  p.a = a.finite();
  p.b = b.finite();
  multiply_finite(isa, p);
  std::vector<double> of_a(static_cast<std::size_t>(p.m * p.n)), of_b(of_a.size());
  gemm(isa, p.m, p.n, p.k, a.infinite(), p.k, b.not_zero(), p.n, of_a.data(), p.n);
  gemm(isa, p.m, p.n, p.k, a.not_zero(), p.k, b.infinite(), p.n, of_b.data(), p.n);
  for (Index i = 0; i < p.m; ++i) {
    for (Index j = 0; j < p.n; ++j) {
      const auto at = static_cast<std::size_t>(i * p.n + j);
      if (of_a[at] + of_b[at] > 0) p.c.error[i * p.c.ld + j] = kInfinity;
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
