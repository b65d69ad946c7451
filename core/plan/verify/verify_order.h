#pragma once  // internal

#include "core/plan/verify/plan_findings.h"

namespace isoshard {

/// `L-token` and `L-order` (core/plan/verify/verify_plan.h), of a Plan whose structure and values are right.
void verify_order(const Plan& plan, PlanFindings& findings);

}  // namespace isoshard
