#include "core/plan/passes/lower_clamp.h"

namespace isoshard {

PlanValueId lower_clamp(const std::vector<PlanValueId>& operands, const std::string& name, const Location& location,
                        PlanBuilder& out) {
  const TensorType type = out.type(operands[1]);
  const auto whole = [&](PlanValueId bound, const char* which) {
    if (out.type(bound).shape == type.shape) return bound;
    return out.local(BroadcastInDim{{}, type.shape}, {bound}, type, name + which, location);
  };
  const PlanValueId low = whole(operands[0], ".min"), high = whole(operands[2], ".max");
  const PlanValueId raised = out.local(Maximum{}, {operands[1], low}, type, name + ".raised", location);
  return out.local(Minimum{}, {raised, high}, type, name, location);
}

PlanValueId lower_ceil(PlanValueId x, const std::string& name, const Location& location, PlanBuilder& out) {
  const TensorType type = out.type(x);
  const PlanValueId negated = out.local(Negate{}, {x}, type, name + ".negated", location);
  const PlanValueId below = out.local(Floor{}, {negated}, type, name + ".floor", location);
  return out.local(Negate{}, {below}, type, name, location);
}

}  // namespace isoshard
