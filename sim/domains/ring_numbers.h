#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <optional>
#include <span>

/// Numbers as residues modulo 2^31 - 1.
namespace isoshard::sim {

/// What an opaque element is the value of; part of what is hashed.
enum class Opaque : uint32_t {
  exponential,
  log,
  logistic,
  inverse,
  root,
  not_a_number,
  padding,
  greater,
  greater_apart,
  equal,
  sqrt,
  sine,
  cosine,
  erf_inv,
  floor,
  power,
  remainder,
  identity,
  fingerprint,
  member,
  maximum_of_set,
  reciprocal
};
inline constexpr size_t kOpaqueFunctions = static_cast<size_t>(Opaque::reciprocal) + 1;

/// Rings make products of integer exponents up to this one; other powers are opaque.
inline constexpr int64_t kMaxPower = 1024;

uint32_t power_mod31(uint32_t base, uint32_t exponent);
/// 1 / unit; 0 for 0.
uint32_t inverse_mod31(uint32_t unit);
/// The fixed square root of a prime where the field has one.
std::optional<uint32_t> square_root_mod31(uint32_t prime);
/// Nothing where the denominator is a multiple of 2^31 - 1.
std::optional<uint32_t> residue_of(const mpq_class& x);
/// Of a finite double m · 2^e.
uint32_t residue_of(double x);
uint32_t residue_of(int64_t x);

/// The integer that a ring element is: the same residue in all lanes, below 2^24 in magnitude when balanced.
std::optional<int64_t> integer_of(std::span<const uint32_t> lanes);
/// The number that a ring element is: an integer_of, or n/d with |n|·d < 1000, the same in all lanes.
std::optional<mpq_class> rational_of(std::span<const uint32_t> lanes);

}  // namespace isoshard::sim
