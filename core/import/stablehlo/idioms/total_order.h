#pragma once

#include <optional>
#include <vector>

#include "core/import/stablehlo/lower/lowering.h"

namespace isoshard::stablehlo {

/// `x == 0 ? 0 : x`, x without a negative zero, and `x != x ? nan : x`, x with one nan, as values that compare nothing;
/// nothing for another select.
std::optional<Wire> without_signs(Lowering& lowering, const Operation& select, const Scope& scope);

/// A comparison by TOTALORDER of such values, in which nan is greater than all others and equal to itself; an error
/// for other values, of which the signs of zeros and nans would count (M-unsupported).
std::vector<Wire> total_order(Lowering& lowering, const Operation& op, const Scope& scope, Direction direction);

}  // namespace isoshard::stablehlo
