#pragma once  // internal

#include "core/plan/verify/plan_findings.h"

namespace isoshard {

/// `L-value` (core/plan/verify/verify_plan.h).
void verify_values(const Plan& plan, PlanFindings& findings);

}  // namespace isoshard
