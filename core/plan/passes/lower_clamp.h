#pragma once  // internal

#include <string>
#include <vector>

#include "core/plan/passes/plan_builder.h"

namespace isoshard {

/// `clamp %min, %x, %max` as StableHLO defines it, the minimum of a maximum; bounds that are scalars are broadcast. The
/// result, called `name`, has the type of x.
PlanValueId lower_clamp(const std::vector<PlanValueId>& operands, const std::string& name, const Location& location,
                        PlanBuilder& out);

/// The least whole number that is not below x: -floor(-x), which has the same bits.
PlanValueId lower_ceil(PlanValueId x, const std::string& name, const Location& location, PlanBuilder& out);

}  // namespace isoshard
