// Numbers and residues modulo primes of 31 bits: rationals to residues and back, inverses and square roots. A rational
// is found from its residue by Euclid's algorithm, which meets n/d as a convergent of x/p when |n| d is small
// (Legendre); it must fit all lanes, each with its own prime. Inverses are powers by Fermat's theorem, and square roots
// are powers too, as the primes are 3 modulo 4 (docs/adr/0038-primes-of-lanes.md). Cost: about 30 steps each.
#include "sim/domains/residues/ring_numbers.h"

#include <cmath>
#include <cstdlib>
#include <utility>

namespace isoshard::sim {
namespace {

/// A fraction, denominator > 0.
struct Fraction {
  int64_t numerator, denominator;
};

/// The only small number whose residue is x, if there is one. n = d x modulo p with |n| d < p / 2 says that n / d is a
/// convergent of x / p (A.-M. Legendre), so Euclid's algorithm, which walks through these, meets it.
std::optional<Fraction> small_number(const Mod31& p, Residue x) {
  constexpr int64_t kInteger = 1 << 24, kProduct = 1000;
  const int64_t integer = p.balanced(x);
  if (std::abs(integer) < kInteger) return Fraction{integer, 1};
  int64_t before = p.modulus(), rest = x, denominator_before = 0, denominator = 1;
  while (std::abs(denominator) < kProduct) {
    if (rest * std::abs(denominator) < kProduct) {
      return denominator < 0 ? Fraction{-rest, -denominator} : Fraction{rest, denominator};
    }
    const int64_t quotient = before / rest;
    before = std::exchange(rest, before - quotient * rest);
    denominator_before = std::exchange(denominator, denominator_before - quotient * denominator);
  }
  return std::nullopt;
}

}  // namespace

Residue power(const Mod31& p, Residue base, uint32_t exponent) {
  Residue result = 1;
  for (; exponent != 0; exponent >>= 1, base = p.multiply(base, base)) {
    if (exponent & 1) result = p.multiply(result, base);
  }
  return result;
}

Residue inverse(const Mod31& p, Residue unit) { return power(p, unit, p.modulus() - 2); }

std::optional<Residue> square_root(const Mod31& p, uint32_t prime) {
  const Residue root = power(p, prime, (p.modulus() + 1) / 4);  // the modulus is 3 modulo 4
  if (p.multiply(root, root) != prime) return std::nullopt;
  return root;
}

std::optional<Residue> residue_of(const Mod31& p, const mpq_class& x) {
  const auto denominator = static_cast<Residue>(mpz_fdiv_ui(x.get_den_mpz_t(), p.modulus()));
  if (denominator == 0) return std::nullopt;
  const auto numerator = static_cast<Residue>(mpz_fdiv_ui(x.get_num_mpz_t(), p.modulus()));
  return denominator == 1 ? numerator : p.multiply(numerator, inverse(p, denominator));
}

Residue residue_of(const Mod31& p, double x) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(x), &exponent);
  const auto mantissa = static_cast<uint64_t>(std::ldexp(fraction, 53));
  exponent -= 53;
  const Residue two = exponent < 0 ? (p.modulus() + 1) / 2 : 2;
  const Residue magnitude = p.multiply(p.reduce(mantissa), power(p, two, static_cast<uint32_t>(std::abs(exponent))));
  return x < 0 ? p.negate(magnitude) : magnitude;
}

Residue residue_of(const Mod31& p, int64_t x) {
  const int64_t modulus = p.modulus(), rest = x % modulus;
  return static_cast<Residue>(rest < 0 ? rest + modulus : rest);
}

std::optional<mpq_class> cube_root(const mpq_class& x) {
  mpz_class top, bottom;
  const bool exact = mpz_root(top.get_mpz_t(), x.get_num_mpz_t(), 3) != 0;
  if (mpz_root(bottom.get_mpz_t(), x.get_den_mpz_t(), 3) == 0 || !exact) return std::nullopt;
  return mpq_class(top, bottom);
}

mpz_class nearest_whole(const mpq_class& x, bool even) {
  const mpq_class size = abs(x) + mpq_class(1, 2);
  mpz_class whole = size.get_num() / size.get_den();
  if (even && size.get_den() == 1 && mpz_odd_p(whole.get_mpz_t()) != 0) whole -= 1;  // half way
  return x < 0 ? mpz_class(-whole) : whole;
}

std::optional<mpq_class> rational_of(std::span<const Residue> x, std::span<const Mod31> moduli) {
  const std::optional<Fraction> number = small_number(moduli[0], x[0]);
  if (!number) return std::nullopt;
  for (size_t l = 1; l < x.size(); ++l) {
    const Residue numerator = residue_of(moduli[l], number->numerator);
    if (moduli[l].multiply(x[l], static_cast<Residue>(number->denominator)) != numerator) return std::nullopt;
  }
  return mpq_class(number->numerator, number->denominator);
}

}  // namespace isoshard::sim
