#pragma once  // internal

#include "core/plan/plan.h"
#include "core/support/diagnostic.h"

namespace isoshard::text {

/// Reports instructions whose operands and results do not fit: T-... of ops as in programs, V-operands for their
/// number, L-type for types that are not those that follow, L-block for blocks of another rank than the array.
void check_plan_types(const Plan& plan, DiagnosticSink& sink);

}  // namespace isoshard::text
