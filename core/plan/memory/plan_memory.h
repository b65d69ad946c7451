#pragma once

#include "core/plan/memory/memory_plan.h"
#include "core/plan/plan.h"
#include "core/support/result.h"

namespace isoshard {

/// Plans the arena of each rank group: offsets of all values, in place and without copies where that is legal.
///
/// With Reuse::tokens the waits of `plan` grow. Values are taken as large as their types say. Errors, `L-arena`: sizes
/// that together are beyond 2^62 bytes, and loops whose carries change places in cycles that are too long to follow.
/// Cost: as in plan_memory.cc.
Result<MemoryPlan> plan_memory(Plan& plan, Reuse reuse);

}  // namespace isoshard
