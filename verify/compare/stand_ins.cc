#include "verify/compare/stand_ins.h"

#include "core/plan/plan.h"

namespace isoshard::verify {

std::vector<bool> marks(const Plan& plan, const std::map<PlanValueId, Ratio>& ends) {
  std::vector<bool> result(plan.values.size(), false);
  for (const auto& [id, ratio] : ends) result[id.index()] = true;
  return result;
}

}  // namespace isoshard::verify
