// The ring Z/(2^31 - 1) against 128-bit arithmetic.
#include <gtest/gtest.h>

#include "sim/kernels/elementwise_mod31.h"
#include "sim/kernels/gemm.h"
#include "sim/kernels/gemm_turned.h"
#include "tests/kernels_testing.h"

namespace isoshard::sim::kernels_mod31_test {
namespace {

using testing_support::random_residues;
using testing_support::supported_isas;

using Index = std::int64_t;
using Residues = std::vector<std::uint32_t>;
__extension__ using Wide = unsigned __int128;

constexpr std::uint32_t kModulus = 2147483647u;

Residues naive_product(Index m, Index n, Index k, const Residues& a, const Residues& b) {
  Residues c;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      Wide sum = 0;
      for (Index q = 0; q < k; ++q) {
        sum += static_cast<Wide>(a[static_cast<std::size_t>(i * k + q)]) * b[static_cast<std::size_t>(q * n + j)];
      }
      c.push_back(static_cast<std::uint32_t>(sum % kModulus));
    }
  }
  return c;
}

TEST(GemmMod31, IsExactOnEveryIsa) {
  const Index shapes[][3] = {{1, 1, 1},    {1, 1, 0},   {2, 9, 3},     {4, 8, 4},
                             {5, 17, 129}, {7, 1, 300}, {33, 70, 261}, {3, 600, 20}};
  for (const auto& [m, n, k] : shapes) {
    const Residues a = random_residues(m * k, 1);
    const Residues b = random_residues(k * n, 2);
    const Residues expected = naive_product(m, n, k, a, b);
    for (const Isa isa : supported_isas()) {
      Residues c(expected.size(), 99);
      gemm_mod31(isa, m, n, k, a.data(), k, b.data(), n, c.data(), n);
      EXPECT_EQ(c, expected) << isa_name(isa) << " " << m << "x" << n << "x" << k;
    }
  }
}

TEST(GemmMod31, LongSumsOfTheLargestResidueDoNotOverflow) {
  const Index k = 100003;
  const Residues a(static_cast<std::size_t>(k), kModulus - 1);
  const Residues b(static_cast<std::size_t>(k * 9), kModulus - 1);  // (-1)·(-1) = 1
  for (const Isa isa : supported_isas()) {
    Residues c(9);
    gemm_mod31(isa, 1, 9, k, a.data(), k, b.data(), 9, c.data(), 9);
    EXPECT_EQ(c, Residues(9, static_cast<std::uint32_t>(k))) << isa_name(isa);
  }
}

TEST(GemmMod31, KeepsToItsLeadingDimensions) {
  const Index m = 6, n = 11, k = 13, ld = 20;
  const Residues a = random_residues(m * ld, 3);
  const Residues b = random_residues(k * ld, 4);
  Residues dense_a, dense_b;
  for (Index i = 0; i < m * ld; ++i) {
    if (i % ld < k) dense_a.push_back(a[static_cast<std::size_t>(i)]);
  }
  for (Index i = 0; i < k * ld; ++i) {
    if (i % ld < n) dense_b.push_back(b[static_cast<std::size_t>(i)]);
  }
  const Residues expected = naive_product(m, n, k, dense_a, dense_b);
  for (const Isa isa : supported_isas()) {
    Residues c(static_cast<std::size_t>(m * ld), 99);
    gemm_mod31(isa, m, n, k, a.data(), ld, b.data(), ld, c.data(), ld);
    for (Index i = 0; i < m * ld; ++i) {
      const std::uint32_t want = i % ld < n ? expected[static_cast<std::size_t>(i / ld * n + i % ld)] : 99;
      ASSERT_EQ(c[static_cast<std::size_t>(i)], want) << isa_name(isa);
    }
  }
}

/// The [rows, columns] matrix as its columns, with three elements between them that are not read.
Residues turned(const Residues& x, Index rows, Index columns) {
  Residues result(static_cast<std::size_t>(columns * (rows + 3)), kModulus);
  for (Index i = 0; i < rows * columns; ++i) {
    result[static_cast<std::size_t>(i % columns * (rows + 3) + i / columns)] = x[static_cast<std::size_t>(i)];
  }
  return result;
}

TEST(GemmMod31, OperandsMayLieTurned) {
  const Index shapes[][3] = {{1, 1, 1}, {1, 9, 5}, {2, 9, 3}, {5, 17, 300}, {33, 7, 261}, {12, 16, 8}};
  for (const auto& [m, n, k] : shapes) {
    const Residues a = random_residues(m * k, 1), b = random_residues(k * n, 2);
    const Residues at = turned(a, m, k), bt = turned(b, k, n), expected = naive_product(m, n, k, a, b);
    for (const Isa isa : supported_isas()) {
      for (const auto& [left, right] : {std::pair(false, true), std::pair(true, false), std::pair(true, true)}) {
        const GemmOperand<std::uint32_t> x{left ? at.data() : a.data(), left ? m + 3 : k, left};
        const GemmOperand<std::uint32_t> y{right ? bt.data() : b.data(), right ? k + 3 : n, right};
        Residues c(expected.size(), 99);
        gemm_mod31(isa, m, n, k, x, y, c.data(), n);
        EXPECT_EQ(c, expected) << isa_name(isa) << " " << m << "x" << n << "x" << k << left << right;
      }
    }
  }
}

TEST(Mod31, ScalarHelpersAreExactAtTheEnds) {
  for (const std::uint64_t x :
       {0ull, 1ull, 2147483646ull, 2147483647ull, 2147483648ull, 4294967294ull, ~0ull, ~0ull - 1}) {
    EXPECT_EQ(reduce_mod31(x), x % kModulus) << x;
  }
  for (const std::uint32_t a : {0u, 1u, 2u, kModulus / 2, kModulus - 2, kModulus - 1}) {
    for (const std::uint32_t b : {0u, 1u, 2u, kModulus / 2, kModulus - 2, kModulus - 1}) {
      EXPECT_EQ(add_mod31(a, b), (std::uint64_t{a} + b) % kModulus);
      EXPECT_EQ(subtract_mod31(a, b), (std::uint64_t{a} + kModulus - b) % kModulus);
      EXPECT_EQ(multiply_mod31(a, b), std::uint64_t{a} * b % kModulus);
    }
  }
}

TEST(Mod31, ArrayLoopsEqualTheHelpers) {
  const Index n = 1003;
  const Residues a = random_residues(n, 5);
  const Residues b = random_residues(n, 6);
  for (const Isa isa : supported_isas()) {
    Residues negated(1003), sum(1003), difference(1003), product(1003), plus(1003), times(1003), acc = a;
    negate_mod31(isa, a.data(), negated.data(), n);
    add_mod31(isa, a.data(), b.data(), sum.data(), n);
    subtract_mod31(isa, a.data(), b.data(), difference.data(), n);
    multiply_mod31(isa, a.data(), b.data(), product.data(), n);
    add_scalar_mod31(isa, a.data(), b[0], plus.data(), n);
    multiply_scalar_mod31(isa, a.data(), b[0], times.data(), n);
    accumulate_mod31(isa, acc.data(), b.data(), n);
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(negated[i], (kModulus - a[i]) % kModulus);
      ASSERT_EQ(sum[i], (std::uint64_t{a[i]} + b[i]) % kModulus);
      ASSERT_EQ(difference[i], (std::uint64_t{a[i]} + kModulus - b[i]) % kModulus);
      ASSERT_EQ(product[i], std::uint64_t{a[i]} * b[i] % kModulus);
      ASSERT_EQ(plus[i], (std::uint64_t{a[i]} + b[0]) % kModulus);
      ASSERT_EQ(times[i], std::uint64_t{a[i]} * b[0] % kModulus);
    }
    EXPECT_EQ(acc, sum);
  }
}

}  // namespace
}  // namespace isoshard::sim::kernels_mod31_test
