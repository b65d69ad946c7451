#pragma once

#include <cstdint>

#include "core/plan/calls/call_list.h"
#include "core/plan/calls/call_options.h"
#include "core/plan/memory/memory_plan.h"
#include "core/plan/plan.h"
#include "core/support/result_fwd.h"

namespace isoshard::calls {

/// The group of ranks that the rank at `position` is one of.
const RankGroup& group_at(const Plan& plan, int64_t position);

/// The calls of the rank at `position`. Errors, with the location: `X-unsupported` for what exec cannot do, `X-limit`
/// for a rank that runs more than 2^17 instructions in a step.
Result<CallList> make_call_list(const Plan& plan, const MemoryPlan& memory, int64_t position,
                                const CallOptions& options = {});

}  // namespace isoshard::calls
