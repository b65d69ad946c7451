#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/plan/calls/call_list.h"
#include "core/plan/calls/held.h"
#include "core/plan/memory/memory_plan.h"
#include "core/plan/plan.h"

namespace isoshard::calls {

/// A value that is complete in the memory of a rank when a call is done.
struct WrittenValue {
  PlanValueId id{};
  size_t time = 0;  ///< which run of its instruction on the rank made it, from 0 on
  Held held;        ///< the type is that of the Plan
  size_t call = 0;  ///< the last one of those that write it
};

/// The values that the calls of a list write, in the order of the calls, for a list made of this Plan in this memory.
/// Left out are values that no call writes because the next one computes them, and instructions with several results.
std::vector<WrittenValue> written_values(const Plan& plan, const MemoryPlan& memory, const CallList& list);

/// The same calls with a copy of each of these values behind the call that completes it: output i of the list is value
/// i, whole, and there are no others. The order of streams and the waits stay. Values are in the order of their calls.
CallList with_copies(const CallList& list, std::span<const WrittenValue> values);

}  // namespace isoshard::calls
