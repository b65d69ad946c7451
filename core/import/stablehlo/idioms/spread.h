#pragma once

#include <cstdint>
#include <vector>

#include "core/import/stablehlo/lower/lowering.h"

namespace isoshard::stablehlo {

/// `interior[d]` times `value` between neighbours along each dimension d.
ValueId spread(Lowering& lowering, const Operation& op, ValueId x, ValueId value, const std::vector<int64_t>& interior);

}  // namespace isoshard::stablehlo
