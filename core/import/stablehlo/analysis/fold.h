#pragma once

#include <optional>
#include <span>

#include "core/import/stablehlo/analysis/wire.h"

namespace isoshard::stablehlo {

/// What an op gives whose operands are these constants (null: an operand is none), if each is one number and the dtype
/// of the result has the result exactly; nothing for other ops and operands.
std::optional<ConstantArray> folded(const Operation& op, std::span<const ConstantArray* const> operands);

}  // namespace isoshard::stablehlo
