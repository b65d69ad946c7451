#pragma once  // internal

#include "core/plan/plan.h"
#include "core/support/diagnostic.h"

namespace isoshard::text {

/// Reports (L-limit) what cannot be verified in seconds and some hundred megabytes: too many instances of what depends
/// on ranks (ranks times iterations times instructions), too many clocks (instructions times queues, blocks times
/// queues), too many iterations for an instance to have a number, loops that hand values on in too long a chain.
/// Whether there was nothing to report.
bool check_plan_limits(const Plan& plan, DiagnosticSink& sink);

}  // namespace isoshard::text
