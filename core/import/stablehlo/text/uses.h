#pragma once

#include <cstddef>
#include <string_view>

#include "core/import/stablehlo/text/syntax.h"

namespace isoshard::stablehlo {

/// The op of a region that defines a name, or null.
const Operation* definition(const Region& region, std::string_view name);

/// What the ops of a region repeat to make `use`, or itself.
const ValueUse& unbroadcast(const Region& region, const ValueUse& use);

/// The first use, in a region and those in it, of a name that is defined later only, or by the op itself; null where
/// all are defined before. Names of a region hide those around it, as MLIR numbers them.
const ValueUse* used_too_early(const Region& region);

/// How often an op, with the regions in it, uses a name.
size_t uses_of(const Operation& op, std::string_view name);
/// How often the ops of a region do.
size_t uses_of(const Region& region, std::string_view name);

}  // namespace isoshard::stablehlo
