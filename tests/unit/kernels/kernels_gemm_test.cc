// The decided property of gemm: one chain of fused multiply-adds per element, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
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

/// Shapes for every path: tiny, edges of the 6-row tiles, few rows, several blocks of k, n and m, one column.
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

TYPED_TEST(Gemm, Avx2GivesTheScalarBits) {
  using T = TypeParam;
  ISOSHARD_NEEDS_AVX2();
  for (const Shape s : {Shape{150, 1100, 300}, Shape{3, 1100, 3000}, Shape{8, 24, 20}}) {
    const auto a = random_values<T>(s.m * s.k, 5);
    const auto b = random_values<T>(s.k * s.n, 6);
    EXPECT_EQ(first_difference(product(Isa::avx2, s, a, b), product(Isa::scalar, s, a, b)), -1);
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
    if (isa_supported(Isa::avx2)) {
      const ScopedIsa avx2(Isa::avx2);
      EXPECT_EQ(best_isa(), Isa::avx2);
    }
    EXPECT_EQ(best_isa(), Isa::scalar);
  }
  EXPECT_EQ(best_isa(), before);
  EXPECT_STREQ(isa_name(Isa::scalar), "scalar");
  EXPECT_STREQ(isa_name(Isa::avx2), "avx2");
}

}  // namespace
}  // namespace isoshard::sim::kernels_gemm_test
