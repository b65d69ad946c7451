#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <optional>
#include <span>

#include "sim/kernels/mod31.h"

/// Numbers as residues modulo primes near 2^31, each of which is 3 modulo 4.
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
  reciprocal,
  finite,
  cbrt,
  erf,
  round_nearest_even,
  round_nearest_afz,
  atan2
};
inline constexpr size_t kOpaqueFunctions = static_cast<size_t>(Opaque::atan2) + 1;

/// Rings make products of integer exponents up to this one; other powers are opaque.
inline constexpr int64_t kMaxPower = 1024;

Residue power(const Mod31& p, Residue base, uint32_t exponent);
/// 1 / unit; 0 for 0.
Residue inverse(const Mod31& p, Residue unit);
/// The fixed square root of a small prime where the field has one.
std::optional<Residue> square_root(const Mod31& p, uint32_t prime);
/// Nothing where the denominator is a multiple of the modulus.
std::optional<Residue> residue_of(const Mod31& p, const mpq_class& x);
/// The residue of a finite double m · 2^e.
Residue residue_of(const Mod31& p, double x);
Residue residue_of(const Mod31& p, int64_t x);

/// The cube root where it is rational.
std::optional<mpq_class> cube_root(const mpq_class& x);
/// The whole number nearest to x; of two the even one, or the one away from zero.
mpz_class nearest_whole(const mpq_class& x, bool even);

/// The number that an element is, with x[l] its residue modulo moduli[l]: an integer below 2^24 in magnitude, or n/d
/// with |n|·d < 1000, which has these residues in all lanes.
std::optional<mpq_class> rational_of(std::span<const Residue> x, std::span<const Mod31> moduli);

}  // namespace isoshard::sim
