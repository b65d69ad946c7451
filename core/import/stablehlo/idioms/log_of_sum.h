#pragma once

#include <optional>

#include "core/import/stablehlo/lower/lowering.h"

namespace isoshard::stablehlo {

/// log(exp a + exp b) of `max(a, b) + log(1 + exp(-|a - b|))`, where `value` is that; nothing for another value.
std::optional<Wire> log_of_sum(Lowering& lowering, const Operation& op, ValueId value);

/// The same of a choice `a - b != a - b ? a + b : ...`, jnp.logaddexp; nothing for another select.
std::optional<Wire> log_of_sum_or_infinite(Lowering& lowering, const Operation& select, const Scope& scope);

/// Whether a region is jnp.logaddexp of its two arguments.
bool is_log_of_sum(const Region& region);

}  // namespace isoshard::stablehlo
