#pragma once

#include "core/plan/plan.h"

namespace isoshard {

/// Gives every instruction of `plan` the fewest tokens that order each use of a value after its definition, also in
/// other blocks and in the iteration before.
///
/// Waits that are already there are kept and count.
void set_waits(Plan& plan);

}  // namespace isoshard
