#pragma once

#include <cstddef>

#include "core/plan/plan.h"

namespace isoshard {

/// What a Plan takes of the heap that grows with its instructions: these with their lists, values, actions and queues,
/// each table with the room that it has. Texts, types and expressions, which calls of a function share, are not
/// counted.
size_t stored_bytes(const Plan& plan);

}  // namespace isoshard
