#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/plan.h"
#include "verify/bounds/degree.h"
#include "verify/compare/stand_ins.h"

namespace isoshard::verify {

/// Counts the degrees over `steps` steps: an updated global brings its degree into the next one. `opaque`: per value
/// whether an opaque function is applied to it; empty: to none.
DegreeCounts count_degrees(const Plan& plan, int64_t steps = 1, std::optional<ExpDegrees> exponential = {},
                           const std::vector<bool>& opaque = {}, const Generic& generic = {});

}  // namespace isoshard::verify
