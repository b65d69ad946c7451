#pragma once  // internal

#include <optional>

#include "core/ir/types/global.h"
#include "core/text/elaborate/scope.h"

namespace isoshard::text {

/// The integers that `syntax`, as in `in 0..vocab, -100`, allows `global`; nothing after an error (E-range).
std::optional<ValueRange> elaborate_range(const ValueRangeSyntax& syntax, const Global& global, const Scope& scope);

}  // namespace isoshard::text
