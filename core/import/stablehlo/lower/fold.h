#pragma once

#include <optional>

#include "core/import/stablehlo/lower/lowering.h"

namespace isoshard::stablehlo {

/// What an op on constants with one number each gives, where its dtype has that number exactly; nothing for other ops
/// and operands.
std::optional<Wire> folded(const Lowering& lowering, const Operation& op, const Scope& scope);

}  // namespace isoshard::stablehlo
