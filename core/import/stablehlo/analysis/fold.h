#pragma once

#include <optional>
#include <span>

#include "core/import/stablehlo/analysis/wire.h"

namespace isoshard::stablehlo {

/// What an op gives whose operands are these constants (null: an operand is none), if each is one number and the dtype
/// of the result has the result exactly; nothing for other ops and operands.
std::optional<ConstantArray> folded(const Operation& op, std::span<const ConstantArray* const> operands);

/// The list that a concatenation makes of short lists of integers, all of them known; nothing for other operands.
std::optional<ConstantArray> joined_list(const TensorType& type, std::span<const ConstantArray* const> lists);
/// What looking up elements of a `list` at one known index gives, an array of `type` that is that element throughout:
/// an index outside is moved inside, as gather does.
std::optional<ConstantArray> looked_up(const TensorType& type, const ConstantArray* list, const ConstantArray* index);

}  // namespace isoshard::stablehlo
