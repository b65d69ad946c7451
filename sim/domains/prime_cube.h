#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <optional>
#include <span>

namespace isoshard::sim {

/// The ring Z/p^3 of a prime p with 2^60 < p^3 < 2^61: numbers are representatives in [0, p^3), those not divisible by
/// p are its units.
class PrimeCube {
 public:
  explicit PrimeCube(uint32_t prime);

  uint32_t prime() const { return prime_; }
  uint64_t modulus() const { return modulus_; }

  uint64_t add(uint64_t a, uint64_t b) const { return a + b >= modulus_ ? a + b - modulus_ : a + b; }
  uint64_t subtract(uint64_t a, uint64_t b) const { return a >= b ? a - b : a + modulus_ - b; }
  uint64_t negate(uint64_t a) const { return a == 0 ? 0 : modulus_ - a; }
  /// Barrett's reduction: the quotient it estimates is at most 2 too small.
  uint64_t multiply(uint64_t a, uint64_t b) const {
    const Wide product = static_cast<Wide>(a) * b;
    const uint64_t quotient =
        static_cast<uint64_t>(static_cast<Wide>(static_cast<uint64_t>(product >> 60)) * reciprocal_ >> 62);
    uint64_t rest = static_cast<uint64_t>(product) - quotient * modulus_;
    if (rest >= modulus_) rest -= modulus_;
    return rest >= modulus_ ? rest - modulus_ : rest;
  }
  uint64_t power(uint64_t base, uint64_t exponent) const;
  /// Of a unit; the exponent may be negative.
  uint64_t signed_power(uint64_t unit, int64_t exponent) const;
  bool is_unit(uint64_t a) const { return a % prime_ != 0; }
  uint64_t inverse(uint64_t unit) const;
  /// (1 + p)^x = 1 + px + p^2 x(x-1)/2: the exponential of the ring (equivalence.md 4). It depends on x mod p^2.
  uint64_t exponential(uint64_t x) const;

  /// sum of a[i] * b[i * stride], i < n
  uint64_t dot(int64_t n, const uint64_t* a, const uint64_t* b, int64_t stride) const;

  uint64_t residue(int64_t x) const;
  /// Nothing where p divides the denominator.
  std::optional<uint64_t> residue(const mpq_class& x) const;
  /// Of two random words: uniform up to 2^-67.
  uint64_t residue(uint64_t high, uint64_t low) const;
  /// The fixed square root of a small prime where there is one.
  std::optional<uint64_t> square_root(uint32_t prime) const;
  /// The representative of least magnitude.
  int64_t balanced(uint64_t a) const {
    return a > modulus_ / 2 ? static_cast<int64_t>(a) - static_cast<int64_t>(modulus_) : static_cast<int64_t>(a);
  }

 private:
  __extension__ using Wide = unsigned __int128;

  uint32_t prime_;
  uint64_t modulus_, reciprocal_;  ///< floor(2^122 / modulus)
};

/// 64 primes p in [2^20, 2^21] modulo which 2, 3 and 5 are squares and that are 3 modulo 4, ascending.
std::span<const uint32_t> cube_primes();

}  // namespace isoshard::sim
