#pragma once

#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/text/syntax.h"

namespace isoshard::stablehlo {

/// Whether a region is jnp.logaddexp of its two arguments.
bool is_log_of_sum(const Region& region);

/// jnp.logaddexp of two values of one type: log(exp a + exp b), which does not overflow, also of -inf.
ValueId log_of_sum(Lowering& lowering, ValueId a, ValueId b, const Operation& op);

}  // namespace isoshard::stablehlo
