// Z/p^3 against big integers.
#include <gtest/gtest.h>

#include <gmpxx.h>

#include <random>
#include <set>

#include "sim/domains/prime_cube.h"

namespace isoshard::sim::domains_prime_cube_test {
namespace {

mpz_class big(uint64_t x) { return mpz_class(static_cast<unsigned long>(x)); }

mpz_class power(const mpz_class& base, uint64_t exponent, const mpz_class& modulus) {
  mpz_class result;
  mpz_powm_ui(result.get_mpz_t(), base.get_mpz_t(), exponent, modulus.get_mpz_t());
  return result;
}

class PrimeCubes : public ::testing::Test {
 protected:
  uint64_t draw(const PrimeCube& ring) { return random_() % ring.modulus(); }
  uint64_t unit(const PrimeCube& ring) {
    for (;;) {
      if (const uint64_t x = draw(ring); ring.is_unit(x)) return x;
    }
  }
  std::mt19937_64 random_{7};
};

TEST_F(PrimeCubes, AreDifferentPrimesBelowTwoToThe21) {
  const std::set<uint32_t> primes(cube_primes().begin(), cube_primes().end());
  EXPECT_GE(primes.size(), 16u);
  EXPECT_EQ(primes.size(), cube_primes().size());
  for (const uint32_t p : primes) {
    EXPECT_GT(mpz_probab_prime_p(mpz_class(p).get_mpz_t(), 30), 0);
    EXPECT_GE(p, 1U << 20);
    EXPECT_LE(p, 1U << 21);
  }
}

TEST_F(PrimeCubes, CalculateAsBigIntegersDo) {
  for (const uint32_t p : {cube_primes().front(), cube_primes().back()}) {
    const PrimeCube ring(p);
    const mpz_class n = big(ring.modulus());
    ASSERT_EQ(n, mpz_class(p) * p * p);
    for (int i = 0; i < 20000; ++i) {
      const uint64_t a = i % 10 == 0 ? ring.modulus() - 1 - static_cast<uint64_t>(i % 3) : draw(ring), b = draw(ring);
      ASSERT_EQ(big(ring.multiply(a, b)), big(a) * big(b) % n);
      ASSERT_EQ(big(ring.add(a, b)), (big(a) + big(b)) % n);
      ASSERT_EQ(big(ring.subtract(a, b)), (big(a) - big(b) + n) % n);
    }
    EXPECT_EQ(ring.multiply(ring.modulus() - 1, ring.modulus() - 1), 1u);
    EXPECT_EQ(ring.negate(0), 0u);
    EXPECT_EQ(ring.residue(int64_t{-3}), ring.modulus() - 3);
  }
}

TEST_F(PrimeCubes, InversesPowersAndFractions) {
  const PrimeCube ring(cube_primes()[3]);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t x = unit(ring);
    ASSERT_EQ(ring.multiply(x, ring.inverse(x)), 1u);
    const uint64_t e = random_() % 100000;
    ASSERT_EQ(big(ring.power(x, e)), power(big(x), e, big(ring.modulus())));
    ASSERT_EQ(ring.multiply(ring.signed_power(x, -7), ring.power(x, 7)), 1u);
  }
  const uint64_t third = *ring.residue(mpq_class(-1, 3));
  EXPECT_EQ(ring.add(ring.multiply(third, 3), 1), 0u);
  EXPECT_FALSE(ring.residue(mpq_class(1, 2 * static_cast<long>(ring.prime()))));
  EXPECT_FALSE(ring.is_unit(ring.prime()));
}

TEST_F(PrimeCubes, ExponentialIsThePowerOfOnePlusP) {
  for (const uint32_t p : cube_primes().first(4)) {
    const PrimeCube ring(p);
    for (int i = 0; i < 2000; ++i) {
      const uint64_t x = draw(ring), y = draw(ring);
      ASSERT_EQ(big(ring.exponential(x)), power(mpz_class(1) + p, x, big(ring.modulus())));
      ASSERT_EQ(ring.exponential(ring.add(x, y)), ring.multiply(ring.exponential(x), ring.exponential(y)));
    }
    EXPECT_EQ(ring.exponential(0), 1u);
  }
}

TEST_F(PrimeCubes, TwoThreeAndFiveHaveRoots) {
  for (const uint32_t p : cube_primes()) {
    const PrimeCube ring(p);
    for (const uint32_t q : {2u, 3u, 5u}) {
      const auto root = ring.square_root(q);
      ASSERT_TRUE(root) << p << " " << q;
      EXPECT_EQ(ring.multiply(*root, *root), q);
    }
  }
}

TEST_F(PrimeCubes, DotProductsOfManyTerms) {
  const PrimeCube ring(cube_primes().back());
  std::vector<uint64_t> a(1000, ring.modulus() - 1), b(1000, ring.modulus() - 1);
  EXPECT_EQ(ring.dot(1000, a.data(), b.data(), 1), 1000u);
  mpz_class expected = 0;
  for (size_t i = 0; i < 333; ++i) {
    a[i] = draw(ring), b[3 * i] = draw(ring);
    expected += big(a[i]) * big(b[3 * i]);
  }
  EXPECT_EQ(big(ring.dot(333, a.data(), b.data(), 3)), expected % big(ring.modulus()));
}

}  // namespace
}  // namespace isoshard::sim::domains_prime_cube_test
