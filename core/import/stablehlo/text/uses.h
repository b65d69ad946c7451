#pragma once

#include <cstddef>
#include <string_view>

#include "core/import/stablehlo/text/syntax.h"

namespace isoshard::stablehlo {

/// The op of a region that defines a name, or null.
const Operation* definition(const Region& region, std::string_view name);

/// What the ops of a region repeat to make `use`, or itself.
const ValueUse& unbroadcast(const Region& region, const ValueUse& use);

/// How often an op, with the regions in it, uses a name.
size_t uses_of(const Operation& op, std::string_view name);
/// How often the ops of a region do.
size_t uses_of(const Region& region, std::string_view name);

}  // namespace isoshard::stablehlo
