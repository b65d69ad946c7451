// The invariants of a Plan, from the shape of its lists to who meets whom: later checks rest on earlier ones, so that
// the first kind that fails ends it.
#include "core/plan/verify/verify_plan.h"

#include "core/plan/verify/plan_findings.h"
#include "core/plan/verify/verify_meetings.h"
#include "core/plan/verify/verify_order.h"
#include "core/plan/verify/verify_structure.h"
#include "core/plan/verify/verify_values.h"

namespace isoshard {

std::vector<Diagnostic> verify_plan(const Plan& plan) {
  PlanFindings findings(plan);
  for (const auto check : {&verify_structure, &verify_values, &verify_order, &verify_meetings}) {
    check(plan, findings);
    if (!findings.empty()) break;
  }
  return findings.take();
}

}  // namespace isoshard
