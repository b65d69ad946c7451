#pragma once  // internal

#include <string>

#include "core/plan/passes/plan_builder.h"

namespace isoshard {

/// Issues a convolution of two values as movements and one dot_general; the result, whose value is called `name`.
///
/// Every instruction says that it comes from the convolution at `location`; values on the way are called `NAME.STEP`.
PlanValueId lower_convolution(const Convolution& op, PlanValueId input, PlanValueId kernel, const std::string& name,
                              const Location& location, PlanBuilder& out);

}  // namespace isoshard
