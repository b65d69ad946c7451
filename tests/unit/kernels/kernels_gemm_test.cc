// The decided property of gemm: one chain of fused multiply-adds per element, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <thread>

#include "sim/kernels/gemm.h"
#include "sim/kernels/gemm_turned.h"
#include "tests/kernels_testing.h"

namespace isoshard::sim::kernels_gemm_test {
namespace {

using testing_support::first_difference;
using testing_support::random_integers;
using testing_support::random_values;
using testing_support::supported_isas;

using Index = std::int64_t;

struct Shape {
  Index m, n, k;
};

/// Shapes for every path: tiny, edges of tiles, few rows, several blocks of k, n and m, one column.
const Shape kShapes[] = {{1, 1, 1},    {1, 1, 700},   {2, 3, 4},     {5, 7, 3},     {6, 16, 8},      {7, 17, 9},
                         {12, 32, 64}, {2, 300, 64},  {1, 100, 900}, {3, 1500, 70}, {4, 2051, 300},  {37, 61, 129},
                         {64, 64, 64}, {97, 40, 515}, {200, 9, 300}, {300, 1, 300}, {13, 1030, 260}, {101, 103, 257}};

template <typename T>
std::vector<T> product(Isa isa, Shape s, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> c(static_cast<std::size_t>(s.m * s.n), T(-7));
  gemm(isa, s.m, s.n, s.k, a.data(), s.k, b.data(), s.n, c.data(), s.n);
  return c;
}

template <typename T>
std::vector<T> chain(Shape s, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> c;
  for (Index i = 0; i < s.m; ++i) {
    for (Index j = 0; j < s.n; ++j) {
      T sum = 0;
      for (Index k = 0; k < s.k; ++k) {
        sum = std::fma(a[static_cast<std::size_t>(i * s.k + k)], b[static_cast<std::size_t>(k * s.n + j)], sum);
      }
      c.push_back(sum);
    }
  }
  return c;
}

template <typename T>
class Gemm : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Gemm, Floats);

TYPED_TEST(Gemm, IsTheAscendingChainOnEveryIsa) {
  using T = TypeParam;
  std::uint64_t seed = 1;
  for (const Shape s : kShapes) {
    const auto a = random_values<T>(s.m * s.k, seed++);
    const auto b = random_values<T>(s.k * s.n, seed++);
    const auto expected = chain(s, a, b);
    for (const Isa isa : supported_isas()) {
      ASSERT_EQ(first_difference(product(isa, s, a, b), expected), -1)
          << isa_name(isa) << " " << s.m << "x" << s.n << "x" << s.k;
    }
  }
}

template <typename T>
void expect_scalar_products(Isa isa) {
  for (const Shape s : {Shape{150, 1100, 300}, Shape{3, 1100, 3000}, Shape{8, 24, 20}, Shape{70, 33, 1100}}) {
    const auto a = random_values<T>(s.m * s.k, 5);
    const auto b = random_values<T>(s.k * s.n, 6);
    EXPECT_EQ(first_difference(product(isa, s, a, b), product(Isa::scalar, s, a, b)), -1);
  }
}

TYPED_TEST(Gemm, Avx2GivesTheScalarBits) {
  ISOSHARD_NEEDS_ISA(Isa::avx2);
  expect_scalar_products<TypeParam>(Isa::avx2);
}

TYPED_TEST(Gemm, Avx512GivesTheScalarBits) {
  ISOSHARD_NEEDS_ISA(Isa::avx512);
  expect_scalar_products<TypeParam>(Isa::avx512);
}

/// Numbers at which an order or a flush to zero shows: subnormals, infinities, NaNs, zeros of both signs.
template <typename T>
std::vector<T> hard_values(Index count, std::uint64_t seed) {
  const T tiny = std::numeric_limits<T>::denorm_min(), infinity = std::numeric_limits<T>::infinity();
  const T hard[] = {tiny, -3 * tiny, infinity, -infinity, -std::numeric_limits<T>::quiet_NaN(), T(-0.0), T(0)};
  auto values = random_values<T>(count, seed);
  std::mt19937_64 random(seed);
  for (T& value : values) {
    const std::uint64_t draw = random();
    if (draw % 97 < std::size(hard)) value = hard[draw % 97];
    if (draw % 5 == 0) value *= std::numeric_limits<T>::min();
  }
  return values;
}

/// Every height and width of a tile of every path, between elements that must neither be read nor written.
TYPED_TEST(Gemm, EveryTileWithGapsAndHardValuesGivesTheScalarBits) {
  using T = TypeParam;
  std::uint64_t seed = 31;
  for (Index m = 1; m <= 30; m += m < 18 ? 1 : 3) {
    for (const Index n : {1, 7, 8, 15, 16, 17, 31, 33, 48, 50, 97}) {
      for (const Index k : {0, 1, 5, 19}) {
        const Index lda = k + 3, ldb = n + 2, ldc = n + 1;
        const auto a = hard_values<T>(m * lda, seed++), b = hard_values<T>(k * ldb + 1, seed++);
        std::vector<T> expected(static_cast<std::size_t>(m * ldc), T(-7));
        gemm(Isa::scalar, m, n, k, a.data(), lda, b.data(), ldb, expected.data(), ldc);
        for (const Isa isa : supported_isas()) {
          std::vector<T> c(expected.size(), T(-7));
          gemm(isa, m, n, k, a.data(), lda, b.data(), ldb, c.data(), ldc);
          ASSERT_EQ(first_difference(c, expected), -1) << isa_name(isa) << " " << m << "x" << n << "x" << k;
        }
      }
    }
  }
}

TYPED_TEST(Gemm, WithoutRowsOrColumnsWritesNothing) {
  using T = TypeParam;
  const std::vector<T> x(20, T(1));
  for (const Isa isa : supported_isas()) {
    std::vector<T> c(20, T(-7));
    gemm(isa, 0, 4, 3, x.data(), 3, x.data(), 4, c.data(), 4);
    gemm(isa, 4, 0, 3, x.data(), 3, x.data(), 4, c.data(), 4);
    EXPECT_EQ(c, std::vector<T>(20, T(-7))) << isa_name(isa);
  }
}

/// The [rows, columns] matrix as it lies turned, with two elements between its rows that are not read.
template <typename T>
std::vector<T> turned(const std::vector<T>& x, Index rows, Index columns) {
  std::vector<T> result(static_cast<std::size_t>(columns * (rows + 2)), std::numeric_limits<T>::quiet_NaN());
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      result[static_cast<std::size_t>(j * (rows + 2) + i)] = x[static_cast<std::size_t>(i * columns + j)];
    }
  }
  return result;
}

TYPED_TEST(Gemm, OperandsMayLieTurned) {
  using T = TypeParam;
  for (const Shape s : kShapes) {
    const auto a = random_values<T>(s.m * s.k, 11), b = random_values<T>(s.k * s.n, 12);
    const auto at = turned(a, s.m, s.k), bt = turned(b, s.k, s.n);
    for (const Isa isa : supported_isas()) {
      const auto expected = product(isa, s, a, b);
      for (const auto& [left, right] : {std::pair(false, true), std::pair(true, false), std::pair(true, true)}) {
        std::vector<T> c(expected.size(), T(-7));
        const GemmOperand<T> x{left ? at.data() : a.data(), left ? s.m + 2 : s.k, left};
        const GemmOperand<T> y{right ? bt.data() : b.data(), right ? s.k + 2 : s.n, right};
        gemm(isa, s.m, s.n, s.k, x, y, c.data(), s.n);
        ASSERT_EQ(first_difference(c, expected), -1) << isa_name(isa) << " " << s.m << "x" << s.n << "x" << s.k;
      }
    }
  }
}

TYPED_TEST(Gemm, IntegersAreExact) {
  using T = TypeParam;
  for (const Shape s : kShapes) {
    const auto a = random_integers<T>(s.m * s.k, 8);
    const auto b = random_integers<T>(s.k * s.n, 9);
    const auto c = product(best_isa(), s, a, b);
    for (Index i = 0; i < s.m; ++i) {
      for (Index j = 0; j < s.n; ++j) {
        long sum = 0;
        for (Index k = 0; k < s.k; ++k) {
          sum += static_cast<long>(a[static_cast<std::size_t>(i * s.k + k)]) *
                 static_cast<long>(b[static_cast<std::size_t>(k * s.n + j)]);
        }
        ASSERT_EQ(static_cast<long>(c[static_cast<std::size_t>(i * s.n + j)]), sum);
      }
    }
  }
}

TYPED_TEST(Gemm, EmptySumIsPositiveZeroAndPaddingStays) {
  using T = TypeParam;
  for (const Isa isa : supported_isas()) {
    std::vector<T> c(12, T(-7));
    gemm(isa, 3, 2, 0, static_cast<const T*>(nullptr), 0, static_cast<const T*>(nullptr), 2, c.data(), 4);
    for (std::size_t i = 0; i < c.size(); ++i) {
      EXPECT_EQ(c[i], i % 4 < 2 ? T(0) : T(-7));
      EXPECT_EQ(std::signbit(c[i]), i % 4 >= 2);
    }
  }
}

TYPED_TEST(Gemm, NegativeZeroProductsSumToPositiveZero) {
  using T = TypeParam;
  for (const Isa isa : supported_isas()) {
    const auto c = product<T>(isa, {1, 1, 2}, {T(-0.0), T(-0.0)}, {T(1), T(1)});
    EXPECT_FALSE(std::signbit(c[0])) << isa_name(isa);
  }
}

TYPED_TEST(Gemm, NansAreCanonicalAndInfinitiesTravel) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity();
  const T odd_nan = -std::numeric_limits<T>::quiet_NaN();
  for (const Shape s : kShapes) {
    auto a = random_values<T>(s.m * s.k, 11);
    auto b = random_values<T>(s.k * s.n, 12);
    a[a.size() / 2] = odd_nan;
    a.back() = infinity;
    b.front() = -infinity;
    b.back() = T(0);
    auto expected = chain(s, a, b);
    for (T& value : expected) value = std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
    ASSERT_TRUE(std::any_of(expected.begin(), expected.end(), [](T x) { return std::isnan(x); }));
    for (const Isa isa : supported_isas()) {
      ASSERT_EQ(first_difference(product(isa, s, a, b), expected), -1) << isa_name(isa) << " " << s.n;
    }
  }
}

TYPED_TEST(Gemm, SubnormalsAreNotFlushed) {
  using T = TypeParam;
  const T tiny = std::numeric_limits<T>::denorm_min();
  const Shape s{9, 33, 3};
  const std::vector<T> a(static_cast<std::size_t>(s.m * s.k), tiny);
  const std::vector<T> b(static_cast<std::size_t>(s.k * s.n), T(1));
  for (const Isa isa : supported_isas()) {
    for (const T value : product(isa, s, a, b)) ASSERT_EQ(value, 3 * tiny) << isa_name(isa);
  }
}

TYPED_TEST(Gemm, ManyThreadsAtOnceGiveTheSameBits) {
  using T = TypeParam;
  const Shape s{60, 90, 400};
  const auto a = random_values<T>(s.m * s.k, 21);
  const auto b = random_values<T>(s.k * s.n, 22);
  const auto expected = product(best_isa(), s, a, b);
  std::vector<std::vector<T>> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results) {
    std::vector<T>* out = &result;
    threads.emplace_back([&s, &a, &b, out] { *out = product(best_isa(), s, a, b); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(first_difference(result, expected), -1);
}

TEST(Isa, AScopeForcesAndRestores) {
  const Isa before = best_isa();
  {
    const ScopedIsa scalar(Isa::scalar);
    EXPECT_EQ(best_isa(), Isa::scalar);
    for (const Isa isa : supported_isas()) {
      const ScopedIsa inner(isa);
      EXPECT_EQ(best_isa(), isa);
    }
    EXPECT_EQ(best_isa(), Isa::scalar);
  }
  EXPECT_EQ(best_isa(), before);
  EXPECT_STREQ(isa_name(Isa::scalar), "scalar");
  EXPECT_STREQ(isa_name(Isa::avx2), "avx2");
  EXPECT_STREQ(isa_name(Isa::avx512), "avx512");
  EXPECT_EQ(before, supported_isas().back());
}

}  // namespace
}  // namespace isoshard::sim::kernels_gemm_test
