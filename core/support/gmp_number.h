#pragma once  // internal

#include <gmpxx.h>

#include <memory>

namespace isoshard {

/// A rational number other than zero in lowest terms, as GMP holds it. A Rational points to one, so that the many who
/// include rational.h need not read GMP's C++ header; rational_gmp.h is for those who compute with it.
struct GmpNumber {
  mpq_class value;
};

/// The number `value`, brought to lowest terms; null for zero.
std::shared_ptr<const GmpNumber> gmp_number(mpq_class value);
/// What `number` stands for: zero where it is null. The reference lives as long as `number`.
const mpq_class& value_of(const GmpNumber* number);

}  // namespace isoshard
