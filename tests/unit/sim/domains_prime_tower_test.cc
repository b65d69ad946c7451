// Prime fields against big integers, and the chains of primes of rung E.
#include <gtest/gtest.h>

#include <gmpxx.h>

#include <array>
#include <cmath>
#include <random>
#include <set>

#include "sim/domains/tower/prime_tower.h"
#include "sim/kernels/gemm_modulo.h"

namespace isoshard::sim::domains_prime_tower_test {
namespace {

mpz_class big(uint64_t x) { return mpz_class(static_cast<unsigned long>(x)); }

mpz_class power(const mpz_class& base, uint64_t exponent, const mpz_class& modulus) {
  mpz_class result;
  mpz_powm_ui(result.get_mpz_t(), base.get_mpz_t(), exponent, modulus.get_mpz_t());
  return result;
}

constexpr uint64_t kLargest = (uint64_t{1} << 61) - 1, kPrimes[] = {3, 101, 1073741789, 2147483647, kLargest};

class PrimeFields : public ::testing::Test {
 protected:
  uint64_t draw(const PrimeField& field) { return random_() % field.modulus(); }
  std::mt19937_64 random_{7};
};

TEST_F(PrimeFields, CalculateAsBigIntegersDo) {
  for (const uint64_t p : kPrimes) {
    const PrimeField field(p);
    for (int i = 0; i < 5000; ++i) {
      const uint64_t a = i % 10 == 0 ? p - 1 - static_cast<uint64_t>(i % 3) : draw(field), b = draw(field);
      ASSERT_EQ(big(field.multiply(a, b)), big(a) * big(b) % big(p));
      ASSERT_EQ(big(field.add(a, b)), (big(a) + big(b)) % big(p));
      ASSERT_EQ(big(field.subtract(a, b)), (big(a) - big(b) + big(p)) % big(p));
      ASSERT_LT(field.residue(random_(), random_()), p);
    }
    EXPECT_EQ(field.multiply(p - 1, p - 1), 1u);
    EXPECT_EQ(field.negate(0), 0u);
    EXPECT_EQ(field.residue(int64_t{-1}), p - 1);
  }
}

TEST_F(PrimeFields, InversesPowersAndFractions) {
  for (const uint64_t p : {kPrimes[1], kPrimes[2], kPrimes[4]}) {
    const PrimeField field(p);
    for (int i = 0; i < 300; ++i) {
      const uint64_t x = 1 + random_() % (p - 1), e = random_() % 100000;
      ASSERT_EQ(field.multiply(x, field.inverse(x)), 1u);
      ASSERT_EQ(big(field.power(x, e)), power(big(x), e, big(p)));
      ASSERT_EQ(field.multiply(field.signed_power(x, -7), field.power(x, 7)), 1u);
    }
    const uint64_t third = *field.residue(mpq_class(-1, 3));
    EXPECT_EQ(field.add(field.multiply(third, 3), 1), 0u);
    EXPECT_FALSE(field.residue(mpq_class(mpz_class(1), mpz_class(2 * big(p)))));
  }
}

TEST_F(PrimeFields, SquareRootsOfSquaresOnly) {
  for (const uint64_t p : {uint64_t{101}, uint64_t{65537}, kPrimes[2], kLargest}) {
    const PrimeField field(p);
    int roots = 0;
    for (int i = 0; i < 200; ++i) {
      const uint64_t x = 1 + random_() % (p - 1);
      const std::optional<uint64_t> root = field.square_root(x);
      ASSERT_EQ(root.has_value(), field.power(x, (p - 1) / 2) == 1);
      if (!root) continue;
      ++roots;
      ASSERT_EQ(field.multiply(*root, *root), x);
      ASSERT_EQ(field.square_root(field.multiply(*root, *root)), root);
    }
    EXPECT_GT(roots, 60);
    EXPECT_LT(roots, 140);
  }
}

/// The shapes reach every path: words, limbs of f64 in one block and in several of each dimension.
TEST_F(PrimeFields, MatrixProductsOnEachInstructionSet) {
  using Shape = std::array<Index, 3>;
  for (const uint64_t p : {uint64_t{3}, uint64_t{101}, kPrimes[2], kPrimes[3], uint64_t{4294967311}, kLargest}) {
    const PrimeField field(p);
    for (const auto& [m, n, k] : {Shape{1, 1, 1}, Shape{3, 9, 7}, Shape{5, 17, 1000}, Shape{2, 3, 0}, Shape{0, 3, 2},
                                  Shape{19, 67, 1030}, Shape{61, 260, 60}}) {
      std::vector<uint64_t> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(k * n)), expected;
      for (uint64_t& x : a) x = random_() % 8 == 0 ? p / 2 + random_() % 2 : draw(field);
      for (uint64_t& x : b) x = random_() % 2 == 0 ? p - 1 - random_() % 3 : p / 2 + random_() % 2;
      for (Index i = 0; i < m * n; ++i) {
        uint64_t sum = 0;
        for (Index t = 0; t < k; ++t) {
          sum = field.add(sum,
                          field.multiply(a[static_cast<size_t>(i / n * k + t)], b[static_cast<size_t>(t * n + i % n)]));
        }
        expected.push_back(sum);
      }
      for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
        if (!isa_supported(isa)) continue;
        std::vector<uint64_t> c(expected.size(), 7);
        gemm_modulo(isa, p, m, n, k, a.data(), b.data(), c.data());
        ASSERT_EQ(c, expected) << m << " " << n << " " << k << " modulo " << p << " " << isa_name(isa);
      }
    }
  }
}

TEST_F(PrimeFields, MatrixProductsOfTheLargestSums) {
  constexpr Index kSize = 64, kDepth = 2100;
  for (const uint64_t p : {kPrimes[2], kPrimes[3], kLargest}) {
    const std::vector<uint64_t> minus_one(static_cast<size_t>(kSize * kDepth), p - 1), half(minus_one.size(), p / 2);
    for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
      if (!isa_supported(isa)) continue;
      std::vector<uint64_t> c(static_cast<size_t>(kSize * kSize));
      gemm_modulo(isa, p, kSize, kSize, kDepth, minus_one.data(), minus_one.data(), c.data());
      EXPECT_EQ(c, std::vector<uint64_t>(c.size(), kDepth)) << p << " " << isa_name(isa);
      gemm_modulo(isa, p, kSize, kSize, kDepth, half.data(), half.data(), c.data());  // (-1/2)^2 2100
      EXPECT_EQ(c, std::vector<uint64_t>(c.size(), kDepth / 4)) << p << " " << isa_name(isa);
    }
  }
}

class PrimeTowers : public PrimeFields {
 protected:
  PrimeTower draw_tower(size_t height, PrimeSize size) {
    return PrimeTower(height, size, [this] { return random_(); });
  }
};

TEST_F(PrimeTowers, AreChainsOfPrimesWithinTheirBounds) {
  for (const PrimeSize size : {PrimeSize::small, PrimeSize::large, PrimeSize::split}) {
    for (size_t height = PrimeTower::kMinHeight; height <= PrimeTower::kMaxHeight; ++height) {
      const PrimeTower tower = draw_tower(height, size);
      ASSERT_EQ(tower.height(), height);
      EXPECT_LT(tower.field(0).modulus(), uint64_t{1} << (size == PrimeSize::small ? 30 : 61));
      for (size_t i = 0; i < height; ++i) {
        const uint64_t p = tower.field(i).modulus();
        EXPECT_GT(mpz_probab_prime_p(big(p).get_mpz_t(), 30), 0);
        EXPECT_GE(p, uint64_t{1} << PrimeTower::log2_least(height, size));
        EXPECT_EQ(i == 0 ? 0 : (tower.field(i - 1).modulus() - 1) % p, 0u);
      }
    }
  }
}

TEST_F(PrimeTowers, DrawsDiffer) {
  std::set<uint64_t> first;
  for (int i = 0; i < 20; ++i) first.insert(draw_tower(4, PrimeSize::small).field(0).modulus());
  EXPECT_GT(first.size(), 15u);
}

/// A generator whose order is not the next prime breaks both: exp(x + y) where x + y wraps, or exp(1) = 1.
TEST_F(PrimeTowers, ExponentialsTurnSumsIntoProducts) {
  for (const PrimeSize size : {PrimeSize::small, PrimeSize::large, PrimeSize::split}) {
    const PrimeTower tower = draw_tower(3, size);
    for (size_t i = 0; i < 2; ++i) {
      const PrimeField &field = tower.field(i), &exponents = tower.field(i + 1);
      for (int k = 0; k < 1000; ++k) {
        const uint64_t x = draw(exponents), y = draw(exponents);
        ASSERT_EQ(tower.exponential(i, exponents.add(x, y)),
                  field.multiply(tower.exponential(i, x), tower.exponential(i, y)));
      }
      EXPECT_EQ(tower.exponential(i, 0), 1u);
      EXPECT_NE(tower.exponential(i, 1), 1u);
      EXPECT_EQ(field.power(tower.exponential(i, 1), exponents.modulus()), 1u);
      EXPECT_EQ(tower.exponential(i, 1000000), field.power(tower.exponential(i, 1), 1000000));
    }
  }
}

TEST_F(PrimeTowers, OfSplitPrimesHaveRootsOfMinusOneTwoAndThree) {
  for (size_t height = PrimeTower::kMinHeight; height <= PrimeTower::kMaxHeight; ++height) {
    const PrimeTower tower = draw_tower(height, PrimeSize::split);
    for (size_t i = 0; i < height; ++i) {
      const PrimeField& field = tower.field(i);
      for (const uint64_t q : {field.modulus() - 1, uint64_t{2}, uint64_t{3}, i == 0 ? uint64_t{5} : uint64_t{4}}) {
        const std::optional<uint64_t> root = field.square_root(q);
        ASSERT_TRUE(root) << field.modulus() << " " << q;
        EXPECT_EQ(field.multiply(*root, *root), q);
      }
    }
  }
}

TEST_F(PrimeTowers, TwoThreeAndFiveHaveRoots) {
  const PrimeTower tower = draw_tower(4, PrimeSize::small);
  for (size_t i = 0; i < 4; ++i) {
    for (const uint32_t q : {2u, 3u, 5u}) {
      const std::optional<uint64_t> root = tower.field(i).square_root(q);
      ASSERT_TRUE(root) << tower.field(i).modulus() << " " << q;
      EXPECT_EQ(tower.field(i).multiply(*root, *root), q);
    }
  }
}

}  // namespace
}  // namespace isoshard::sim::domains_prime_tower_test
