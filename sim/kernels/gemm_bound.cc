#include <algorithm>
#include <limits>
#include <vector>

#include "core/ir/scalar/format.h"
#include "core/support/check.h"
#include "sim/kernels/gemm.h"

// |A|·EB + EA·|B| + EA·EB + gamma·|A|·|B| is the product of [|A|, EA] and [EB + gamma·|B|; |B| + EB], so that the bound
// runs at the speed of gemm. Infinities and NaNs need a look at each factor first and go through plain loops, in the
// same order of additions.

namespace isoshard::sim {
namespace {

using Index = std::int64_t;
using scalar::fused;
using scalar::magnitude;

constexpr double kUnit = 0x1p-53;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Product {
  Index m, n, k;
  BoundMatrix a, b;
  BoundResult c;
  double gamma;
};

/// Whether all values and errors are finite.
bool all_finite(Index rows, Index columns, BoundMatrix x) {
  for (Index i = 0; i < rows; ++i) {
    const double* value = x.value + i * x.ld;
    const double* error = x.error + i * x.ld;
    double probe = 0;  // 0 · x is 0 for finite x and NaN otherwise
    for (Index j = 0; j < columns; ++j) probe += 0 * value[j] + 0 * error[j];
    if (!(probe == 0)) return false;
  }
  return true;
}

bool any_error(Index rows, Index columns, BoundMatrix x) {
  for (Index i = 0; i < rows; ++i) {
    const double* error = x.error + i * x.ld;
    if (std::any_of(error, error + columns, [](double e) { return e != 0; })) return true;
  }
  return false;
}

/// The factor of |a| in the error.
ISOSHARD_SCALAR double first_weight(const Product& p, double b, double b_error) {
  return fused(p.gamma, magnitude(b), b_error);
}

/// The factor of a's error in the error.
ISOSHARD_SCALAR double second_weight(double b, double b_error) { return magnitude(b) + b_error; }

void multiply_finite(Isa isa, const Product& p) {
  const Index halves = any_error(p.m, p.k, p.a) ? 2 : 1;
  const Index depth = halves * p.k;
  std::vector<double> left(static_cast<std::size_t>(p.m * depth));
  std::vector<double> right(static_cast<std::size_t>(depth * p.n));
  for (Index i = 0; i < p.m; ++i) {
    double* row = left.data() + i * depth;
    for (Index q = 0; q < p.k; ++q) row[q] = magnitude(p.a.value[i * p.a.ld + q]);
    if (halves == 2) std::copy_n(p.a.error + i * p.a.ld, p.k, row + p.k);
  }
  for (Index q = 0; q < p.k; ++q) {
    const double* b = p.b.value + q * p.b.ld;
    const double* b_error = p.b.error + q * p.b.ld;
    double* first = right.data() + q * p.n;
    for (Index j = 0; j < p.n; ++j) first[j] = first_weight(p, b[j], b_error[j]);
    if (halves == 1) continue;
    double* second = first + p.k * p.n;
    for (Index j = 0; j < p.n; ++j) second[j] = second_weight(b[j], b_error[j]);
  }
  gemm(isa, p.m, p.n, p.k, p.a.value, p.a.ld, p.b.value, p.b.ld, p.c.value, p.c.ld);
  gemm(isa, p.m, p.n, depth, left.data(), depth, right.data(), p.n, p.c.error, p.c.ld);
}

/// Element (i, j), leaving out the terms with a factor that is exactly 0.
void multiply_one(const Product& p, Index i, Index j) {
  double value = 0;
  double error = 0;
  const auto for_each_term = [&](const auto& visit) {
    for (Index q = 0; q < p.k; ++q) {
      const double a = p.a.value[i * p.a.ld + q], a_error = p.a.error[i * p.a.ld + q];
      const double b = p.b.value[q * p.b.ld + j], b_error = p.b.error[q * p.b.ld + j];
      const bool exact_zero = (a == 0 && a_error == 0) || (b == 0 && b_error == 0);
      if (!exact_zero) visit(a, a_error, b, b_error);
    }
  };
  for_each_term([&](double a, double, double b, double b_error) {
    value = fused(a, b, value);
    error = fused(magnitude(a), first_weight(p, b, b_error), error);
  });
  for_each_term([&](double, double a_error, double b, double b_error) {
    error = fused(a_error, second_weight(b, b_error), error);
  });
  p.c.value[i * p.c.ld + j] = scalar::canonical(value);
  p.c.error[i * p.c.ld + j] = error;
}

/// Adds the rounding of the result; what is not finite gets an infinite error.
void finish(const Product& p) {
  // The error is itself a rounded sum of non-negative terms: fewer than 2k + 8 roundings.
  const double raise = 1 + (2 * static_cast<double>(p.k) + 8) * kUnit * 2;
  for (Index i = 0; i < p.m; ++i) {
    const double* value = p.c.value + i * p.c.ld;
    double* error = p.c.error + i * p.c.ld;
    for (Index j = 0; j < p.n; ++j) {
      const double size = magnitude(value[j]);
      const double bound = fused(kUnit, size, error[j]) * raise;
      error[j] = size < kInfinity && bound < kInfinity ? bound : kInfinity;
    }
  }
}

}  // namespace

void gemm_bound(Isa isa, Index m, Index n, Index k, BoundMatrix a, BoundMatrix b, BoundResult c) {
  ISOSHARD_CHECK(m >= 0 && n >= 0 && k >= 0, "a matrix product with a negative size");
  const double roundings = static_cast<double>(k) * kUnit;
  const Product p{m, n, k, a, b, c, roundings / (1 - roundings)};
  if (all_finite(m, k, a) && all_finite(k, n, b)) {
    multiply_finite(isa, p);
  } else {
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) multiply_one(p, i, j);
    }
  }
  finish(p);
}

}  // namespace isoshard::sim
