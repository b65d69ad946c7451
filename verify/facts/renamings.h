#pragma once

#include <set>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// Which values enter and leave the body of a repeat under another id.
struct Renaming {
  PlanValueId from, to;
};
std::vector<Renaming> renamings(const Plan& plan);
/// `id`, and the values that are it before loops or messages hand it on.
std::set<PlanValueId> earlier_names(PlanValueId id, const std::vector<Renaming>& renamed);

}  // namespace isoshard::verify
