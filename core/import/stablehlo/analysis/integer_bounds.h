#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir/all_ops.h"
#include "core/ir/types/type.h"

namespace isoshard::stablehlo {

/// The least and the greatest of the elements of an array of integers or predicates, on all devices and for all inputs.
struct Bounds {
  int64_t least = 0, greatest = 0;
};

using MaybeBounds = std::optional<Bounds>;

/// The bounds of the result of an op from those of its operands; nothing where they are not known.
MaybeBounds bounds_of(const OpData& op, const std::vector<MaybeBounds>& operands, const TensorType& result);

/// Whether an op gives elements of its first operand, and nothing else.
bool moves_elements(const OpData& op);

/// The bounds of the indices that an op makes besides the largest elements of an operand of `shape`.
MaybeBounds bounds_of_indices(const OpData& op, const Shape& shape);

}  // namespace isoshard::stablehlo
