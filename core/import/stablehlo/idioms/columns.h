#pragma once

#include "core/import/stablehlo/lower/lowering.h"

namespace isoshard::stablehlo {

/// `x[..., at, ...]` along `dim`, which keeps size 1: where x is joined of parts and clamped, of the part it is in, so
/// that its bounds and what it is made of are known.
ValueId column(Lowering& lowering, ValueId x, size_t dim, int64_t at, const Operation& op);

}  // namespace isoshard::stablehlo
