// Residues modulo numbers of 31 bits against 128-bit arithmetic.
#include <gtest/gtest.h>

#include "sim/kernels/elementwise_mod31.h"
#include "sim/kernels/gemm.h"
#include "sim/kernels/gemm_turned.h"
#include "tests/kernels_testing.h"

namespace isoshard::sim::kernels_mod31_test {
namespace {

using testing_support::moduli_of_31_bits;
using testing_support::random_residues;
using testing_support::supported_isas;

using Index = std::int64_t;
using Residues = std::vector<std::uint32_t>;
__extension__ using Wide = unsigned __int128;

constexpr std::uint32_t kModulus = 2130706457u;

Residues naive_product(std::uint32_t modulus, Index m, Index n, Index k, const Residues& a, const Residues& b) {
  Residues c;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      Wide sum = 0;
      for (Index q = 0; q < k; ++q) {
        sum += static_cast<Wide>(a[static_cast<std::size_t>(i * k + q)]) * b[static_cast<std::size_t>(q * n + j)];
      }
      c.push_back(static_cast<std::uint32_t>(sum % modulus));
    }
  }
  return c;
}

TEST(GemmMod31, IsExactOnEveryIsaAndModuloEveryNumber) {
  const Index shapes[][3] = {{1, 1, 1},   {1, 1, 0},     {2, 9, 3},    {4, 8, 4},     {5, 17, 129},
                             {7, 1, 300}, {33, 70, 261}, {3, 600, 20}, {59, 259, 40}, {57, 40, 520}};
  for (const std::uint32_t modulus : moduli_of_31_bits()) {
    for (const auto& [m, n, k] : shapes) {
      const Residues a = random_residues(modulus, m * k, 1);
      const Residues b = random_residues(modulus, k * n, 2);
      const Residues expected = naive_product(modulus, m, n, k, a, b);
      for (const Isa isa : supported_isas()) {
        Residues c(expected.size(), 99);
        gemm_mod31(isa, Mod31(modulus), m, n, k, a.data(), k, b.data(), n, c.data(), n);
        EXPECT_EQ(c, expected) << isa_name(isa) << " " << m << "x" << n << "x" << k << " modulo " << modulus;
      }
    }
  }
}

TEST(GemmMod31, LongSumsOfTheLargestResidueDoNotOverflow) {
  const Index k = 100003;
  for (const std::uint32_t modulus : moduli_of_31_bits()) {
    const Residues a(static_cast<std::size_t>(k), modulus - 1);
    const Residues b(static_cast<std::size_t>(k * 9), modulus - 1);  // (-1)·(-1) = 1
    for (const Isa isa : supported_isas()) {
      Residues c(9);
      gemm_mod31(isa, Mod31(modulus), 1, 9, k, a.data(), k, b.data(), 9, c.data(), 9);
      EXPECT_EQ(c, Residues(9, static_cast<std::uint32_t>(k))) << isa_name(isa) << " " << modulus;
    }
  }
}

TEST(GemmMod31, KeepsToItsLeadingDimensions) {
  const Index m = 6, n = 11, k = 13, ld = 20;
  const Residues a = random_residues(kModulus, m * ld, 3);
  const Residues b = random_residues(kModulus, k * ld, 4);
  Residues dense_a, dense_b;
  for (Index i = 0; i < m * ld; ++i) {
    if (i % ld < k) dense_a.push_back(a[static_cast<std::size_t>(i)]);
  }
  for (Index i = 0; i < k * ld; ++i) {
    if (i % ld < n) dense_b.push_back(b[static_cast<std::size_t>(i)]);
  }
  const Residues expected = naive_product(kModulus, m, n, k, dense_a, dense_b);
  for (const Isa isa : supported_isas()) {
    Residues c(static_cast<std::size_t>(m * ld), 99);
    gemm_mod31(isa, Mod31(kModulus), m, n, k, a.data(), ld, b.data(), ld, c.data(), ld);
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
  const Index shapes[][3] = {{1, 1, 1},    {1, 9, 5},   {2, 9, 3},    {5, 17, 300},
                             {33, 7, 261}, {12, 16, 8}, {60, 70, 40}, {20, 261, 300}};
  for (const auto& [m, n, k] : shapes) {
    const Residues a = random_residues(kModulus, m * k, 1), b = random_residues(kModulus, k * n, 2);
    const Residues at = turned(a, m, k), bt = turned(b, k, n), expected = naive_product(kModulus, m, n, k, a, b);
    for (const Isa isa : supported_isas()) {
      for (const auto& [left, right] : {std::pair(false, true), std::pair(true, false), std::pair(true, true)}) {
        const GemmOperand<std::uint32_t> x{left ? at.data() : a.data(), left ? m + 3 : k, left};
        const GemmOperand<std::uint32_t> y{right ? bt.data() : b.data(), right ? k + 3 : n, right};
        Residues c(expected.size(), 99);
        gemm_mod31(isa, Mod31(kModulus), m, n, k, x, y, c.data(), n);
        EXPECT_EQ(c, expected) << isa_name(isa) << " " << m << "x" << n << "x" << k << left << right;
      }
    }
  }
}

TEST(Mod31, SingleResiduesAreExactAtTheEnds) {
  for (const std::uint32_t modulus : moduli_of_31_bits()) {
    const Mod31 p(modulus);
    const std::uint64_t last = ~0ull / modulus * modulus;
    for (const std::uint64_t x : {0ull, 1ull, 2147483646ull, 2147483647ull, 2147483648ull, 4294967294ull, ~0ull,
                                  ~0ull - 1, 1ull * modulus * modulus, 1ull * last, last - 1ull}) {
      EXPECT_EQ(p.reduce(x), x % modulus) << x;
    }
    for (const std::uint32_t a : {0u, 1u, 2u, modulus / 2, modulus / 2 + 1, modulus - 2, modulus - 1}) {
      EXPECT_EQ(p.negate(a), (modulus - a) % modulus);
      EXPECT_EQ(p.balanced(a), a <= modulus / 2 ? std::int64_t{a} : std::int64_t{a} - std::int64_t{modulus});
      for (const std::uint32_t b : {0u, 1u, 2u, modulus / 2, modulus / 2 + 1, modulus - 2, modulus - 1}) {
        EXPECT_EQ(p.add(a, b), (std::uint64_t{a} + b) % modulus);
        EXPECT_EQ(p.subtract(a, b), (std::uint64_t{a} + modulus - b) % modulus);
        EXPECT_EQ(p.multiply(a, b), std::uint64_t{a} * b % modulus);
      }
    }
  }
}

TEST(Mod31, ArrayLoopsEqualTheHelpers) {
  const Index n = 1003;
  for (const std::uint32_t modulus : moduli_of_31_bits()) {
    const Mod31 p(modulus);
    const Residues a = random_residues(modulus, n, 5), b = random_residues(modulus, n, 6);
    for (const Isa isa : supported_isas()) {
      Residues negated(1003), sum(1003), difference(1003), product(1003), acc = a;
      negate_mod31(isa, p, a.data(), negated.data(), n);
      add_mod31(isa, p, a.data(), b.data(), sum.data(), n);
      subtract_mod31(isa, p, a.data(), b.data(), difference.data(), n);
      multiply_mod31(isa, p, a.data(), b.data(), product.data(), n);
      accumulate_mod31(isa, p, acc.data(), b.data(), n);
      for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(negated[i], (modulus - a[i]) % modulus);
        ASSERT_EQ(sum[i], (std::uint64_t{a[i]} + b[i]) % modulus);
        ASSERT_EQ(difference[i], (std::uint64_t{a[i]} + modulus - b[i]) % modulus);
        ASSERT_EQ(product[i], std::uint64_t{a[i]} * b[i] % modulus) << a[i] << " " << b[i] << " modulo " << modulus;
      }
      EXPECT_EQ(acc, sum);
    }
  }
}

}  // namespace
}  // namespace isoshard::sim::kernels_mod31_test
