#pragma once

#include "core/plan/plan.h"
#include "verify/deadlock/deadlock_report.h"

namespace isoshard::verify {

/// Decides whether the ranks of `plan`, which verify_plan accepts, can deadlock: by rendezvous, without values.
///
/// Operands and shapes do not matter: what meets counts as meeting. Undecided where ranks take more than 2^26
/// steps together, equal ranks counted once (docs/adr/0048-deadlock-without-values.md).
DeadlockReport decide_deadlock(const Plan& plan);

}  // namespace isoshard::verify
