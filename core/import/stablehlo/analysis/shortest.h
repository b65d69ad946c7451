#pragma once

#include "core/support/rational.h"
#include "core/value/dtype.h"

namespace isoshard::stablehlo {

/// The number that a constant of a float dtype stands for, whatever digits MLIR prints: the shortest decimal that
/// rounds to it where that has at most 6 digits (14 for f64) and 12 bits do not hold it, otherwise its own
/// (docs/jax.md, "Constants"). What is not finite stays so.
Rational shortest(DType dtype, const Rational& constant);

}  // namespace isoshard::stablehlo
