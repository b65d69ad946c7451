// Arithmetic modulo a prime below 2^61, for towers of primes (docs/adr/0030-tower.md). Products are reduced by
// Barrett's method with a reciprocal that is calculated once, since a division by a variable is slow. Square roots are
// those of Tonelli and Shanks, of which the smaller one is taken, so that both programs get the same. Cost: a product
// and two multiplications; roots and powers about 61 products.
#include "sim/domains/prime_field.h"

#include <algorithm>
#include <bit>

#include "core/support/check.h"

namespace isoshard::sim {

PrimeField::PrimeField(uint64_t prime)
    : modulus_(prime), bits_(static_cast<int>(std::bit_width(prime))), reciprocal_(0) {
  ISOSHARD_CHECK(prime > 2 && prime % 2 == 1 && prime >> 61 == 0, "an odd prime below 2^61");
  const int shift = is_small() ? 64 : 2 * bits_;
  reciprocal_ = static_cast<uint64_t>((static_cast<Wide>(1) << shift) / modulus_);
}

uint64_t PrimeField::power(uint64_t base, uint64_t exponent) const {
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base = multiply(base, base)) {
    if ((exponent & 1) != 0) result = multiply(result, base);
  }
  return result;
}

uint64_t PrimeField::signed_power(uint64_t unit, int64_t exponent) const {
  if (exponent >= 0) return power(unit, static_cast<uint64_t>(exponent));
  return power(inverse(unit), uint64_t{0} - static_cast<uint64_t>(exponent));
}

uint64_t PrimeField::residue(int64_t x) const {
  const int64_t rest = x % static_cast<int64_t>(modulus_);
  return static_cast<uint64_t>(rest < 0 ? rest + static_cast<int64_t>(modulus_) : rest);
}

std::optional<uint64_t> PrimeField::residue(const mpq_class& x) const {
  const uint64_t numerator = mpz_fdiv_ui(x.get_num_mpz_t(), modulus_);
  if (x.get_den() == 1) return numerator;
  const uint64_t denominator = mpz_fdiv_ui(x.get_den_mpz_t(), modulus_);
  if (!is_unit(denominator)) return std::nullopt;
  return multiply(numerator, inverse(denominator));
}

/// The algorithm of Tonelli and Shanks: p - 1 = odd · 2^twos, and `root` is right up to the order, a power of 2, of
/// `wrong`, which each round makes smaller.
std::optional<uint64_t> PrimeField::square_root(uint64_t square) const {
  square %= modulus_;
  if (square == 0) return 0;
  const uint64_t minus_one = modulus_ - 1;
  const auto is_square = [&](uint64_t x) { return power(x, minus_one / 2) == 1; };
  if (!is_square(square)) return std::nullopt;
  const int twos = std::countr_zero(minus_one);
  const uint64_t odd = minus_one >> twos;
  uint64_t other = 2;
  while (is_square(other)) ++other;
  uint64_t root = power(square, (odd + 1) / 2), wrong = power(square, odd), step = power(other, odd);
  for (int order = twos; wrong != 1;) {
    int needed = 0;
    for (uint64_t x = wrong; x != 1; x = multiply(x, x)) ++needed;
    for (; order > needed + 1; --order) step = multiply(step, step);
    root = multiply(root, step);
    step = multiply(step, step);
    wrong = multiply(wrong, step);
    order = needed;
  }
  return std::min(root, modulus_ - root);
}

}  // namespace isoshard::sim
