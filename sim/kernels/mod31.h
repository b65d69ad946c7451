#pragma once

#include <cstddef>
#include <cstdint>

namespace isoshard::sim {

/// Residues modulo a number between 2^30 and 2^31.
using Residue = std::uint32_t;

inline const Residue* residues(const std::byte* p) { return reinterpret_cast<const Residue*>(p); }
inline Residue* residues(std::byte* p) { return reinterpret_cast<Residue*>(p); }

/// Arithmetic modulo a number between 2^30 and 2^31; residues are in [0, modulus).
class Mod31 {
 public:
  explicit Mod31(Residue modulus);

  Residue modulus() const { return modulus_; }
  Residue add(Residue a, Residue b) const { return lowered(a + b); }
  Residue subtract(Residue a, Residue b) const { return a >= b ? a - b : a + modulus_ - b; }
  Residue negate(Residue a) const { return a == 0 ? 0 : modulus_ - a; }
  Residue multiply(Residue a, Residue b) const { return reduce(static_cast<std::uint64_t>(a) * b); }
  /// The residue of any number. Barrett's reduction: the quotient it estimates is at most 1 too small.
  Residue reduce(std::uint64_t x) const {
    const auto quotient = static_cast<std::uint64_t>(static_cast<Wide>(x) * reciprocal_ >> 64);
    return lowered(static_cast<Residue>(x - quotient * modulus_));
  }
  /// The representative in (-modulus/2, modulus/2).
  std::int64_t balanced(Residue x) const {
    return x > modulus_ / 2 ? std::int64_t{x} - std::int64_t{modulus_} : std::int64_t{x};
  }

  /// floor(2^62 / modulus), 2^32 and 2^62 modulo it.
  Residue quotient62() const { return quotient62_; }
  Residue power32() const { return power32_; }
  Residue power62() const { return power62_; }

  bool operator==(const Mod31& other) const { return modulus_ == other.modulus_; }

 private:
  __extension__ using Wide = unsigned __int128;

  /// x below 2 modulus, without a branch.
  Residue lowered(Residue x) const { return x >= modulus_ ? x - modulus_ : x; }

  Residue modulus_;
  std::uint64_t reciprocal_;  ///< floor(2^64 / modulus)
  Residue quotient62_, power32_, power62_;
};

}  // namespace isoshard::sim
