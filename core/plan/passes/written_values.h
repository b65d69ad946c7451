#pragma once  // internal

#include <string>
#include <vector>

#include "core/ir/program.h"
#include "core/plan/passes/plan_builder.h"

namespace isoshard {

/// Says of the values of a body, `values` per group, what those without a name are in the source; `prefix` begins their
/// names. A value that another one stands for is called as that.
void note_written(const Program& program, const std::string& prefix,
                  const std::vector<std::vector<PlanValueId>>& values, PlanBuilder& out);

}  // namespace isoshard
