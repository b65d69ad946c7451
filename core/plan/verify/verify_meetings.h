#pragma once  // internal

#include "core/plan/verify/plan_findings.h"

namespace isoshard {

/// `L-block`, `L-peer` and `L-match` (core/plan/verify/verify_plan.h), of a Plan whose structure is right.
void verify_meetings(const Plan& plan, PlanFindings& findings);

}  // namespace isoshard
