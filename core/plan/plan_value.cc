#include "core/plan/plan_value.h"

namespace isoshard {

std::string PlanValue::name() const {
  const std::string& name = declared_->name;
  return prefix_.holds() ? prefix_->text + name.substr(prefix_->replaces) : name;
}

std::string PlanValue::in_words() const {
  if (!declared_->written.empty()) return declared_->written;
  std::string text("%");
  return text += name();
}

}  // namespace isoshard
