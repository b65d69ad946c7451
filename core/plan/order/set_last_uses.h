#pragma once

#include "core/plan/plan.h"

namespace isoshard {

/// Marks where values are freed: at the first instruction, in issue order, that every use is ordered before. A value
/// used on several queues that never meet again is freed with its block. Needs the waits; replaces what was marked.
void set_last_uses(Plan& plan);

}  // namespace isoshard
