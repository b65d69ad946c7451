// The rounding-bound domain: what it says is true of the exact result, and exact zeros stay exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/kernels/elementwise.h"
#include "sim/kernels/gemm.h"
#include "sim/kernels/reduce.h"
#include "tests/kernels_testing.h"

namespace isoshard::sim::kernels_bound_test {
namespace {

using testing_support::first_difference;
using testing_support::random_values;
using testing_support::supported_isas;

using Index = std::int64_t;
using Doubles = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Bounded {
  Doubles value;
  Doubles error;
};

Bounded product(Isa isa, Index m, Index n, Index k, const Bounded& a, const Bounded& b) {
  Bounded c{Doubles(static_cast<std::size_t>(m * n)), Doubles(static_cast<std::size_t>(m * n))};
  gemm_bound(isa, m, n, k, {a.value.data(), a.error.data(), k}, {b.value.data(), b.error.data(), n},
             {c.value.data(), c.error.data(), n});
  return c;
}

Bounded bounded(Doubles value, double relative) {
  Doubles error;
  for (const double x : value) error.push_back(std::fabs(x) * relative);
  return {std::move(value), std::move(error)};
}

/// The product of a and b each moved by `direction` times its error, in 64-bit significands.
long double moved_product(const Bounded& a, const Bounded& b, Index i, Index j, Index n, Index k, long double da,
                          long double db) {
  long double sum = 0;
  for (Index q = 0; q < k; ++q) {
    const auto x = static_cast<std::size_t>(i * k + q);
    const auto y = static_cast<std::size_t>(q * n + j);
    sum += (a.value[x] + da * a.error[x]) * (b.value[y] + db * b.error[y]);
  }
  return sum;
}

TEST(GemmBound, HoldsForExactAndForMovedOperands) {
  const Index m = 7, n = 300, k = 90;
  for (const double relative : {0.0, 1e-15, 1e-3}) {
    const Bounded a = bounded(random_values<double>(m * k, 1), relative);
    const Bounded b = bounded(random_values<double>(k * n, 2), relative);
    const Bounded c = product(best_isa(), m, n, k, a, b);
    double tightest = 0;
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        const auto at = static_cast<std::size_t>(i * n + j);
        for (const long double da : {-1.0L, 0.0L, 1.0L}) {
          for (const long double db : {-1.0L, 0.0L, 1.0L}) {
            const long double exact = moved_product(a, b, i, j, n, k, da, db);
            const double off = static_cast<double>(std::fabs(exact - c.value[at]));
            ASSERT_LE(off, c.error[at]);
            tightest = std::max(tightest, off / c.error[at]);
          }
        }
      }
    }
    EXPECT_GT(tightest, 0.005) << "the bound says nothing";
  }
}

TEST(GemmBound, ValueIsTheChainOfGemm) {
  const Index m = 5, n = 270, k = 40;
  const auto a = random_values<double>(m * k, 3);
  const auto b = random_values<double>(k * n, 4);
  Doubles expected(static_cast<std::size_t>(m * n));
  gemm(Isa::scalar, m, n, k, a.data(), k, b.data(), n, expected.data(), n);
  Bounded reference;
  for (const Isa isa : supported_isas()) {
    const Bounded c = product(isa, m, n, k, bounded(a, 1e-9), bounded(b, 0));
    EXPECT_EQ(first_difference(c.value, expected), -1) << isa_name(isa);
    if (reference.error.empty()) reference = c;
    EXPECT_EQ(first_difference(c.error, reference.error), -1) << isa_name(isa);
  }
}

TEST(GemmBound, AnExactZeroFactorIsExact) {
  for (const Isa isa : supported_isas()) {
    const Bounded zeros{{0, 0}, {0, 0}}, known{{3, 1}, {0.5, 1e300}};
    for (const Bounded& c : {product(isa, 1, 1, 2, zeros, known), product(isa, 1, 1, 2, known, zeros)}) {
      EXPECT_EQ(c.value[0], 0);
      EXPECT_EQ(c.error[0], 0);
    }
  }
}

/// What has no bound may be no number: a pole, whose product with 0 is nan.
TEST(GemmBound, AnExactZeroTimesWhatHasNoBoundHasNone) {
  for (const Isa isa : supported_isas()) {
    const Bounded zeros{{0, 0}, {0, 0}};
    for (const double value : {1.0, kInfinity}) {
      const Bounded unknown{{value, 1}, {kInfinity, 0}};
      EXPECT_EQ(product(isa, 1, 1, 2, zeros, unknown).error[0], kInfinity);
      EXPECT_EQ(product(isa, 1, 1, 2, unknown, zeros).error[0], kInfinity);
    }
  }
}

/// 0 · inf is nan.
TEST(GemmBound, AnExactZeroTimesAnExactInfinityHasNoBound) {
  for (const Isa isa : supported_isas()) {
    const Bounded zeros{{0, 0}, {0, 0}}, infinite{{-kInfinity, 1}, {0, 0}};
    EXPECT_EQ(product(isa, 1, 1, 2, zeros, infinite).error[0], kInfinity);
    EXPECT_EQ(product(isa, 1, 1, 2, infinite, zeros).error[0], kInfinity);
  }
}

TEST(GemmBound, AnInfinityElsewhereChangesNoBits) {
  const Index m = 4, n = 9, k = 30;
  Bounded a = bounded(random_values<double>(m * k, 5), 1e-12);
  const Bounded b = bounded(random_values<double>(k * n, 6), 1e-10);
  const Bounded before = product(best_isa(), m, n, k, a, b);
  a.value.back() = kInfinity;  // of the last row
  const Bounded after = product(best_isa(), m, n, k, a, b);
  for (std::size_t at = 0; at < static_cast<std::size_t>((m - 1) * n); ++at) {
    ASSERT_EQ(after.value[at], before.value[at]);
    ASSERT_EQ(after.error[at], before.error[at]);
  }
  EXPECT_EQ(after.error.back(), kInfinity);
}

/// Infinite errors of finite values, as deep models have them: infinite results where a term has one, the others as
/// without.
TEST(GemmBound, InfiniteErrorsReachWhatDependsOnThem) {
  const Index m = 6, n = 11, k = 30;
  Bounded a = bounded(random_values<double>(m * k, 7), 1e-12), b = bounded(random_values<double>(k * n, 8), 1e-10);
  Bounded without_a = a, without_b = b;
  const auto unknown = [](Bounded& x, Bounded& without, Index at) {
    x.error[static_cast<std::size_t>(at)] = kInfinity;
    without.error[static_cast<std::size_t>(at)] = 0;
  };
  unknown(a, without_a, 2 * k + 5);  // row 2
  unknown(b, without_b, 4 * n + 7);  // column 7
  const Bounded finite = product(best_isa(), m, n, k, without_a, without_b);
  for (const Isa isa : supported_isas()) {
    const Bounded c = product(isa, m, n, k, a, b);
    EXPECT_EQ(first_difference(c.value, finite.value), -1);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        const auto at = static_cast<std::size_t>(i * n + j);
        const bool infinite = i == 2 || j == 7;
        EXPECT_EQ(c.error[at], infinite ? kInfinity : finite.error[at]) << i << ", " << j;
      }
    }
  }
}

TEST(GemmBound, EveryInstructionSetGivesTheSameBits) {
  const Index m = 9, n = 37, k = 41;
  const double nan = std::numeric_limits<double>::quiet_NaN(), tiny = std::numeric_limits<double>::denorm_min();
  const Bounded plain_a = bounded(random_values<double>(m * k, 7), 1e-12);
  const Bounded plain_b = bounded(random_values<double>(k * n, 8), 1e-10);
  for (const double value : {1.0, 0.0, -0.0, tiny, kInfinity, -kInfinity, nan}) {
    for (const double error : {0.0, 0.5, kInfinity}) {
      Bounded a = plain_a, b = plain_b;
      a.value[5] = b.value[77] = value;
      a.error[5] = b.error[77] = error;
      a.value[50] = a.error[50] = 0;
      const Bounded expected = product(Isa::scalar, m, n, k, a, b);
      for (const Isa isa : supported_isas()) {
        const Bounded c = product(isa, m, n, k, a, b);
        EXPECT_EQ(first_difference(c.value, expected.value), -1) << isa_name(isa) << " " << value << " ± " << error;
        EXPECT_EQ(first_difference(c.error, expected.error), -1) << isa_name(isa) << " " << value << " ± " << error;
      }
    }
  }
}

TEST(GemmBound, AnUncertainZeroIsNotExact) {
  const Bounded c = product(best_isa(), 1, 1, 1, {{0}, {0.5}}, {{4}, {0}});
  EXPECT_EQ(c.value[0], 0);
  EXPECT_GE(c.error[0], 2.0);
  const Bounded unknown = product(best_isa(), 1, 1, 1, {{0}, {0.5}}, {{4}, {kInfinity}});
  EXPECT_EQ(unknown.error[0], kInfinity);
}

TEST(GemmBound, NanHasAnInfiniteError) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Bounded c = product(best_isa(), 1, 1, 1, {{nan}, {0}}, {{4}, {0}});
  EXPECT_TRUE(std::isnan(c.value[0]));
  EXPECT_EQ(c.error[0], kInfinity);
}

TEST(ReduceBound, HoldsAndKeepsTheValueOfReduceSum) {
  const Index rows = 301, columns = 5;
  const std::vector<Index> shape = {rows, columns};
  const std::vector<Index> dims = {0};
  const ReducePlan plan(shape, dims);
  const Bounded x = bounded(random_values<double>(rows * columns, 9), 1e-15);
  Bounded y{Doubles(5), Doubles(5)};
  Doubles plain(5);
  reduce_sum_bound(best_isa(), plan, x.value.data(), x.error.data(), y.value.data(), y.error.data());
  reduce_sum(best_isa(), plan, x.value.data(), plain.data());
  EXPECT_EQ(first_difference(y.value, plain), -1);
  for (Index j = 0; j < columns; ++j) {
    for (const long double direction : {-1.0L, 0.0L, 1.0L}) {
      long double exact = 0;
      for (Index i = 0; i < rows; ++i) {
        const auto at = static_cast<std::size_t>(i * columns + j);
        exact += x.value[at] + direction * x.error[at];
      }
      const auto at = static_cast<std::size_t>(j);
      ASSERT_LE(std::fabs(exact - y.value[at]), static_cast<long double>(y.error[at]));
    }
    EXPECT_LT(y.error[static_cast<std::size_t>(j)], 1e-11);
  }
}

TEST(ReduceBound, OneElementIsExact) {
  const std::vector<Index> shape = {1, 3};
  const std::vector<Index> dims = {0};
  const Doubles x = {1.5, -2, kInfinity};
  const Doubles error = {0, 0.25, 0};
  Bounded y{Doubles(3), Doubles(3)};
  reduce_sum_bound(best_isa(), ReducePlan(shape, dims), x.data(), error.data(), y.value.data(), y.error.data());
  EXPECT_EQ(y.value, x);
  EXPECT_EQ(y.error[0], 0);
  EXPECT_NEAR(y.error[1], 0.25, 1e-14);
  EXPECT_EQ(y.error[2], kInfinity);
}

TEST(AccumulateBound, AddsErrorsAndRounding) {
  for (const Isa isa : supported_isas()) {
    Doubles value = {1, 0x1p53, 1, 0, -1};
    Doubles error = {0, 0, 0.5, 0, 0};
    const Doubles x = {2, 1, kInfinity, 0, 3};
    const Doubles x_error = {0.25, 0, 0, 0, kInfinity};
    accumulate_bound(isa, value.data(), error.data(), x.data(), x_error.data(), 5);
    EXPECT_EQ(value, (Doubles{3, 0x1p53, kInfinity, 0, 2}));
    EXPECT_GE(error[0], 0.25);
    EXPECT_LT(error[0], 0.2500001);
    EXPECT_GE(error[1], 1);  // 2^53 + 1 was rounded by one
    EXPECT_EQ(error[2], kInfinity);
    EXPECT_EQ(error[3], 0);
    EXPECT_EQ(error[4], kInfinity);
  }
}

}  // namespace
}  // namespace isoshard::sim::kernels_bound_test
