#pragma once  // internal

#include "core/plan/verify/plan_findings.h"

namespace isoshard {

/// `L-group`, `L-queue` and `L-loop` (core/plan/verify/verify_plan.h).
void verify_structure(const Plan& plan, PlanFindings& findings);

}  // namespace isoshard
