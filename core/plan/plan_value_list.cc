#include "core/plan/plan_value_list.h"

#include <utility>

namespace isoshard {

PlanValueId PlanValueList::add(TensorType type, std::string name) {
  const PlanValueId id(size());
  values_.push_back({static_cast<uint32_t>(declared_.size()), kOwnName});
  declared_.push_back({Shared(DeclaredValue{std::move(type), std::move(name), {}, 0})});
  return id;
}

PlanValueId PlanValueList::add_copy(PlanValueId like) {
  const PlanValueId id(size());
  const Entry entry = values_[like.index()];
  ++declared_[entry.declared].uses;
  values_.push_back(entry);
  return id;
}

PlanValueId PlanValueList::add_copy(PlanValueId like, const schedule::Action& action) {
  const uint32_t bytes = declared(like).action_bytes;
  if (bytes == 0) return add_copy(like);
  if (!NameAction::fits(action)) {
    return add(declared(like).type, schedule::to_string(action) + declared(like).name.substr(bytes));
  }
  const PlanValueId id = add_copy(like);
  if (names_.empty() || names_.back().action() != action) names_.push_back(NameAction(action));
  values_[id.index()].name = static_cast<uint32_t>(names_.size() - 1);
  return id;
}

/// What no other value shares.
DeclaredValue& PlanValueList::own(PlanValueId id) {
  Entry& entry = values_[id.index()];
  if (declared_[entry.declared].uses > 1) {
    --declared_[entry.declared].uses;
    declared_.push_back({declared_[entry.declared].value});
    entry.declared = static_cast<uint32_t>(declared_.size() - 1);
  }
  return declared_[entry.declared].value.own();
}

void PlanValueList::set_written(PlanValueId id, std::string text) { own(id).written = std::move(text); }

void PlanValueList::set_action_text(PlanValueId id, const std::string& text) {
  if (declared(id).name.starts_with(text)) own(id).action_bytes = static_cast<uint32_t>(text.size());
}

size_t PlanValueList::bytes() const {
  return values_.bytes() + names_.bytes() + declared_.capacity() * sizeof(Declared) +
         declared_.size() * sizeof(DeclaredValue);
}

}  // namespace isoshard
