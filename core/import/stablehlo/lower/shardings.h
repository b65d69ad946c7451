#pragma once

#include "core/import/stablehlo/lower/lowering.h"

namespace isoshard::stablehlo {

/// The layout that `<@mesh, [{"data"}, {}]>` describes for an array of `rank` dimensions, on `axes` only: other axes
/// are left to the compiler, which makes no difference to values.
Layout layout_of(const Lowering& lowering, const Operation& op, const Attribute& sharding, size_t rank,
                 const AxisSet& axes);

}  // namespace isoshard::stablehlo
