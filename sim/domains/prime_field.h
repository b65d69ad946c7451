#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <optional>

namespace isoshard::sim {

/// The field Z/p of an odd prime p below 2^61; numbers are representatives in [0, p).
class PrimeField {
 public:
  explicit PrimeField(uint64_t prime);

  uint64_t modulus() const { return modulus_; }

  uint64_t add(uint64_t a, uint64_t b) const { return a + b >= modulus_ ? a + b - modulus_ : a + b; }
  uint64_t subtract(uint64_t a, uint64_t b) const { return a >= b ? a - b : a + modulus_ - b; }
  uint64_t negate(uint64_t a) const { return a == 0 ? 0 : modulus_ - a; }
  uint64_t multiply(uint64_t a, uint64_t b) const {
    return is_small() ? reduce(a * b) : reduce_wide(static_cast<Wide>(a) * b);
  }
  uint64_t power(uint64_t base, uint64_t exponent) const;
  /// A power of a unit; the exponent may be negative.
  uint64_t signed_power(uint64_t unit, int64_t exponent) const;
  bool is_unit(uint64_t a) const { return a != 0; }
  uint64_t inverse(uint64_t unit) const { return power(unit, modulus_ - 2); }

  /// Whether products of two numbers are below 2^62.
  bool is_small() const { return modulus_ >> 31 == 0; }
  /// The residue of any number, in a small field. Barrett's reduction: the quotient it estimates is at most 1 too
  /// small.
  uint64_t reduce(uint64_t x) const {
    const auto quotient = static_cast<uint64_t>(static_cast<Wide>(x) * reciprocal_ >> 64);
    const uint64_t rest = x - quotient * modulus_;
    return rest >= modulus_ ? rest - modulus_ : rest;
  }

  uint64_t residue(int64_t x) const;
  /// Nothing where p divides the denominator.
  std::optional<uint64_t> residue(const mpq_class& x) const;
  /// The residue of two random words: uniform up to 2^-33 of a residue's probability.
  uint64_t residue(uint64_t high, uint64_t low) const {
    const auto wide = static_cast<Wide>(high) << 64 | low;
    return is_small() ? static_cast<uint64_t>(static_cast<Wide>(high) * modulus_ >> 64)
                      : static_cast<uint64_t>(wide % modulus_);
  }
  /// One of the two square roots of a number, always the same, where there are any.
  std::optional<uint64_t> square_root(uint64_t square) const;

 private:
  __extension__ using Wide = unsigned __int128;

  /// Barrett's reduction of a product of two numbers: the quotient it estimates is at most 2 too small.
  uint64_t reduce_wide(Wide product) const {
    const auto quotient = static_cast<uint64_t>(
        static_cast<Wide>(static_cast<uint64_t>(product >> (bits_ - 1))) * reciprocal_ >> (bits_ + 1));
    uint64_t rest = static_cast<uint64_t>(product) - quotient * modulus_;
    if (rest >= modulus_) rest -= modulus_;
    return rest >= modulus_ ? rest - modulus_ : rest;
  }

  uint64_t modulus_;
  int bits_;             ///< of the modulus
  uint64_t reciprocal_;  ///< floor(2^64 / modulus) in a small field, otherwise floor(2^(2 bits) / modulus)
};

}  // namespace isoshard::sim
