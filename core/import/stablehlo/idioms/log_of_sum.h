#pragma once

#include "core/import/stablehlo/text/syntax.h"

namespace isoshard::stablehlo {

/// Whether a region is jnp.logaddexp of its two arguments.
bool is_log_of_sum(const Region& region);

}  // namespace isoshard::stablehlo
