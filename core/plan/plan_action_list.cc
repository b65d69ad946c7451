#include "core/plan/plan_action_list.h"

namespace isoshard {
namespace {

bool fits_32_bits(int64_t number) { return number >= 0 && number <= int64_t{UINT32_MAX}; }

}  // namespace

PlanAction PlanActionList::operator[](size_t i) const {
  const Entry& entry = actions_[i];
  if (entry.is_large) return large_[entry.stage];
  return {entry.pipeline, {int64_t{entry.stage}, entry.kind, int64_t{entry.micro_batch}}};
}

void PlanActionList::push_back(const PlanAction& action) {
  const schedule::Action& of = action.action;
  if (fits_32_bits(of.stage) && fits_32_bits(of.micro_batch)) {
    return actions_.push_back(
        {static_cast<uint32_t>(of.stage), static_cast<uint32_t>(of.micro_batch), action.pipeline, of.kind, false});
  }
  actions_.push_back({static_cast<uint32_t>(large_.size()), 0, 0, of.kind, true});
  large_.push_back(action);
}

}  // namespace isoshard
