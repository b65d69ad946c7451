#pragma once  // internal

#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// The float values of `plan` that an innermost loop hands from iteration to iteration and uses for more than one
/// thing: a residual stream or its gradient at the end of each layer, but no sum that only grows.
std::vector<PlanValueId> find_loop_results(const Plan& plan);

}  // namespace isoshard::verify
