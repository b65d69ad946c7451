#pragma once

#include "core/plan/memory/memory_plan.h"
#include "core/plan/plan.h"
#include "core/support/result.h"
#include "verify/race/race.h"

namespace isoshard::verify {

/// Decides whether all uses of a Plan's buffers are ordered: two uses of the same bytes on a rank, of which one writes,
/// by the order of queues, tokens and `ahead` of loops, in every iteration, and each reader finds the value it names.
///
/// `plan` keeps the invariants of verify_plan. Independent of how `memory` was planned. Errors, `L-buffer`: places that
/// cannot be those of the Plan's values, and Plans with more runs, or loops with more states, than are looked at.
Result<RaceVerdict> race_verdict(const Plan& plan, const MemoryPlan& memory, RaceLoops loops = RaceLoops::few);

}  // namespace isoshard::verify
