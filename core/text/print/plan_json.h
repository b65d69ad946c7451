#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/plan/plan.h"

namespace isoshard {

/// A Plan as one JSON object, `"isoshard": 1, "kind": "plan"`. Values, instructions and communicators are indices into
/// its tables; what depends on the rank is an expression over coordinates, as in the text of a Plan.
nlohmann::ordered_json plan_to_json(const Plan& plan);

}  // namespace isoshard
