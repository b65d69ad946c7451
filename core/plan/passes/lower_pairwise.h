#pragma once  // internal

#include <string>
#include <vector>

#include "core/ir/ops/reduce.h"
#include "core/plan/local_ops.h"
#include "core/plan/passes/plan_builder.h"

namespace isoshard {

/// A reduction by products, and or or of the elements of `x` along `dims`, as the Reduce op defines it: in pairs, so
/// that a Plan has elementwise ops in its place. The result, called `name`, has the type `result`.
PlanValueId lower_pairwise(Reducer op, PlanValueId x, const std::vector<int64_t>& dims, const TensorType& result,
                           const std::string& name, const Location& location, PlanBuilder& out);

/// The same over the members of a communicator: every member gathers what all have, and reduces it. No library has this
/// for predicates.
PlanValueId gather_pairwise(Reducer op, PlanValueId x, CommunicatorId communicator, const std::string& name,
                            const Location& location, PlanBuilder& out);

}  // namespace isoshard
