#include "core/plan/plan_value.h"

namespace isoshard {
namespace {

constexpr int64_t kMost = (int64_t{1} << 31) - 1;
constexpr auto kBits = static_cast<uint64_t>(kMost);

}  // namespace

bool NameAction::fits(const schedule::Action& action) {
  return action.stage >= 0 && action.stage <= kMost && action.micro_batch >= 0 && action.micro_batch <= kMost;
}

NameAction::NameAction(const schedule::Action& action)
    : stage(static_cast<uint64_t>(action.stage) & kBits),
      micro_batch(static_cast<uint64_t>(action.micro_batch) & kBits),
      kind(static_cast<uint64_t>(action.kind) & 3) {}

schedule::Action NameAction::action() const {
  return {static_cast<int64_t>(stage), static_cast<schedule::ActionKind>(kind), static_cast<int64_t>(micro_batch)};
}

std::string PlanValue::name() const {
  const std::string& name = declared_->name;
  return is_copy_ ? schedule::to_string(named_by_.action()) + name.substr(declared_->action_bytes) : name;
}

std::string PlanValue::in_words() const {
  if (!declared_->written.empty()) return declared_->written;
  std::string text("%");
  return text += name();
}

}  // namespace isoshard
