#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/kernels/isa.h"

namespace isoshard::sim {

/// The Mersenne prime 2^31 - 1; residues are stored as std::uint32_t in [0, kMod31).
inline constexpr std::uint32_t kMod31 = 0x7fffffffu;
using Residue = std::uint32_t;

inline const Residue* residues(const std::byte* p) { return reinterpret_cast<const Residue*>(p); }
inline Residue* residues(std::byte* p) { return reinterpret_cast<Residue*>(p); }

/// The representative in (-kMod31/2, kMod31/2).
constexpr std::int64_t balanced(Residue x) {
  return x > kMod31 / 2 ? std::int64_t{x} - std::int64_t{kMod31} : std::int64_t{x};
}

/// A number congruent to x modulo kMod31 and below 2^34.
constexpr std::uint64_t fold_mod31(std::uint64_t x) { return (x & kMod31) + (x >> 31); }

/// x modulo kMod31, in [0, kMod31), for any x.
constexpr std::uint32_t reduce_mod31(std::uint64_t x) {
  const std::uint64_t once = fold_mod31(fold_mod31(x));  // <= 2^31 + 6
  return static_cast<std::uint32_t>(once >= kMod31 ? once - kMod31 : once);
}

/// The sum of two residues.
constexpr std::uint32_t add_mod31(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t sum = a + b;  // < 2^32
  return sum >= kMod31 ? sum - kMod31 : sum;
}

/// The difference of two residues.
constexpr std::uint32_t subtract_mod31(std::uint32_t a, std::uint32_t b) { return a >= b ? a - b : a + kMod31 - b; }

/// The product of two residues.
constexpr std::uint32_t multiply_mod31(std::uint32_t a, std::uint32_t b) {
  const std::uint64_t folded = fold_mod31(static_cast<std::uint64_t>(a) * b);  // < 2^32
  return static_cast<std::uint32_t>(folded >= kMod31 ? folded - kMod31 : folded);
}

/// Exact ring operations on arrays of n residues; y may be an input itself, otherwise they must not overlap.
void negate_mod31(Isa isa, const std::uint32_t* x, std::uint32_t* y, std::int64_t n);
void add_mod31(Isa isa, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* y, std::int64_t n);
void subtract_mod31(Isa isa, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* y, std::int64_t n);
void multiply_mod31(Isa isa, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* y, std::int64_t n);

/// The same with one residue for all of b.
void add_scalar_mod31(Isa isa, const std::uint32_t* a, std::uint32_t b, std::uint32_t* y, std::int64_t n);
void multiply_scalar_mod31(Isa isa, const std::uint32_t* a, std::uint32_t b, std::uint32_t* y, std::int64_t n);

/// acc[i] += x[i] modulo kMod31 for i < n; acc must not overlap x.
void accumulate_mod31(Isa isa, std::uint32_t* acc, const std::uint32_t* x, std::int64_t n);

}  // namespace isoshard::sim
