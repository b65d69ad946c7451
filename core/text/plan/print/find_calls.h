#pragma once  // internal

#include "core/plan/plan.h"
#include "core/text/plan/print/plan_calls.h"

namespace isoshard::text {

/// The calls that the text of a Plan has as lines, and their functions.
PlanCalls find_calls(const Plan& plan);

}  // namespace isoshard::text
