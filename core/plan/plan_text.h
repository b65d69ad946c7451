#pragma once

#include <string>
#include <string_view>

#include "core/plan/plan.h"

namespace isoshard {

/// The text of a Plan, first line `isoshard-plan 1`: one line per instruction, queue by queue, rank-dependent fields as
/// expressions over coordinates.
///
/// `#7` names instruction 7 (numbers ascend in issue order), `after #7` is a token, `frees %x` a last use.
std::string print(const Plan& plan);

/// `all_reduce`, `all_to_all`, ...
std::string_view name(CollectiveKind kind);

}  // namespace isoshard
