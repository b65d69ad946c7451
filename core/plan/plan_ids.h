#pragma once

#include "core/support/id.h"

namespace isoshard {

// What the parts of a Plan are named by, for those who keep results about a Plan without looking into one.

using PlanValueId = Id<struct PlanValueTag>;
using InstructionId = Id<struct InstructionTag>;
using CommunicatorId = Id<struct CommunicatorTag>;
using QueueId = Id<struct QueueTag>;
using ActionId = Id<struct ActionTag>;
using CallId = Id<struct CallTag>;

}  // namespace isoshard
