#pragma once

#include <vector>

#include "core/ir/all_ops.h"
#include "core/ir/types/type.h"

namespace isoshard::stablehlo {

/// What the elements of an array may be beside numbers.
struct Beyond {
  bool nan = true, above = true, below = true;  ///< above: inf; below: -inf
  bool positive = false;                        ///< and all numbers are above 0

  bool none() const { return !nan && !above && !below; }
};

/// The same of the result of an op from that of its operands, over real numbers, of which arguments are made and which
/// do not overflow (docs/soundness.md).
Beyond beyond_of(const OpData& op, const std::vector<Beyond>& operands, const TensorType& result);

}  // namespace isoshard::stablehlo
