#pragma once  // internal

#include <cstdint>
#include <optional>
#include <vector>

#include "core/text/plan/read/plan_header.h"
#include "core/text/plan/read/plan_lines.h"

namespace isoshard::text {

/// A Plan of lines whose names and numbers are resolved.
struct LinkedPlan {
  Plan plan;
  bool frees = false;            ///< whether some lines say what they free
  std::vector<int64_t> numbers;  ///< of instructions, as written
};

/// Numbers instructions in the order of the numbers that are written and finds what names of values mean, in the group
/// where they stand. Reports numbers and names that are given twice (E-duplicate) or unknown (E-undefined, L-token) and
/// loops over what cannot be sliced (L-loop); nothing after an error.
std::optional<LinkedPlan> link_plan(const PlanHeader& header, const std::vector<GroupLines>& groups,
                                    const Scope& scope);

}  // namespace isoshard::text
