#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sim/domains/prime_field.h"

namespace isoshard::sim {

/// How large the primes of a tower are.
enum class PrimeSize : uint8_t {
  small,  ///< below 2^30: products of matrices are fast
  large,  ///< below 2^61
  split,  ///< large, and -1 is a square modulo each
};

/// Primes p0 > p1 > ... such that p(i+1) divides p(i) - 1, and exponentials between their fields (docs/spec/verdict.md,
/// "Rings"): exp(x) in Z/p(i) is g_i^y, where y is x in Z/p(i+1) and g_i has order p(i+1). So exp(x + y) = exp(x)exp(y)
/// exactly, and no power of a number that is not 0 is 0.
class PrimeTower {
 public:
  static constexpr size_t kMinHeight = 2, kMaxHeight = 5;

  /// Draws primes modulo which 2, 3 and 5 are squares (split ones: 2 and 3; 5 modulo the first), and their generators,
  /// from random words.
  PrimeTower(size_t height, PrimeSize size, const std::function<uint64_t()>& word);
  /// Takes these primes, largest first, and draws generators; tests plant small ones.
  PrimeTower(const std::vector<uint64_t>& primes, const std::function<uint64_t()>& word);
  /// Takes these generators as well, one less than primes; tests plant some of a wrong order.
  PrimeTower(const std::vector<uint64_t>& primes, const std::vector<uint64_t>& generators);

  /// All primes of such towers are above 2^log2_least.
  static int log2_least(size_t height, PrimeSize size);

  size_t height() const { return fields_.size(); }
  const PrimeField& field(size_t i) const { return fields_[i]; }
  /// exp in Z/p(i), i < height - 1, of x in Z/p(i+1).
  uint64_t exponential(size_t i, uint64_t x) const {
    const Powers& powers = powers_[i];
    uint64_t result = powers[0][x & 255];
    for (size_t digit = 1; (x >>= 8) != 0; ++digit) result = fields_[i].multiply(result, powers[digit][x & 255]);
    return result;
  }

 private:
  using Powers = std::vector<std::vector<uint64_t>>;  ///< [digit of the exponent, base 256][its value]

  std::vector<PrimeField> fields_;
  std::vector<Powers> powers_;  ///< of g_i
};

/// One per lane.
using Towers = std::shared_ptr<const std::vector<PrimeTower>>;
Towers draw_towers(size_t lanes, size_t height, PrimeSize size, uint64_t seed);

}  // namespace isoshard::sim
