#pragma once  // internal

#include <vector>

#include "core/plan/plan.h"
#include "core/support/diagnostic.h"

namespace isoshard::text {

/// Reports (L-output) elements of outputs that no rank stores, or that one rank stores twice or ranks in blocks that
/// overlap without being equal; and (L-limit) outputs that are cut into too many parts to tell. For Plans within
/// check_plan_limits that verify_plan accepts; `declared` is where each output is.
void check_plan_outputs(const Plan& plan, const std::vector<Location>& declared, DiagnosticSink& sink);

}  // namespace isoshard::text
