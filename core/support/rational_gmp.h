#pragma once

#include <gmpxx.h>

#include "core/support/rational.h"

namespace isoshard {

// Arithmetic on Rationals. Apart from rational.h, because every unit of the library sees that one and GMP's C++ header
// takes longer to read than all of core/support.

/// The value of `x`, which must be finite; the reference lives as long as `x` or a copy of it.
const mpq_class& to_mpq(const Rational& x);
/// The finite Rational `value`, brought to lowest terms.
Rational from_mpq(mpq_class value);

/// The fraction with the smallest denominator in [low, high] (Stern-Brocot); requires low <= high.
mpq_class simplest_in(const mpq_class& low, const mpq_class& high);

}  // namespace isoshard
