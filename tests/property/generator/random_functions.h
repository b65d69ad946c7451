#pragma once

#include "core/ir/all_ops.h"
#include "tests/property/generator/dice.h"

namespace isoshard::testing {

/// An elementwise op of one operand, or one that keeps its shape; with `exponentials` also those without an exact
/// value.
OpData random_function(Dice& dice, const TensorType& operand, bool exponentials);

/// An elementwise op of two operands of one type.
OpData random_combination(Dice& dice, const TensorType& operand);

/// A maximum, a minimum, an argmax or a top_k of `operand`; the op has two results at times.
OpData random_order_op(Dice& dice, const TensorType& operand);

}  // namespace isoshard::testing
