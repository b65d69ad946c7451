#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "core/ir/all_ops.h"
#include "core/ir/program.h"
#include "tests/property/generator/dice.h"

namespace isoshard::testing {

/// An op with its operands that may yet have a wrong state or be too large.
struct ProposedOp {
  OpData op;
  std::vector<ValueId> operands;
};

/// A random op that moves elements, of operands among `values`: iota, pad, reverse, dynamic slices, gather, scatter_add
/// or a dot_general with batch dimensions. Nothing where no values fit.
std::optional<ProposedOp> random_movement(Dice& dice, const std::vector<ValueId>& values,
                                          const std::function<const TensorType&(ValueId)>& type_of);

}  // namespace isoshard::testing
