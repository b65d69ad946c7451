#pragma once

#include "core/support/rational.h"
#include "core/value/dtype.h"

namespace isoshard::stablehlo {

/// The number that a constant of a float dtype stands for, whatever digits MLIR prints: its own where 12 bits hold it,
/// otherwise the shortest decimal that rounds to it (docs/jax.md, "Constants"). What is not finite stays so.
Rational shortest(DType dtype, const Rational& constant);

}  // namespace isoshard::stablehlo
