#include "core/plan/plan_value.h"

namespace isoshard {

std::string PlanValue::name() const {
  const std::string& name = declared_->name;
  return prefix_.holds() ? prefix_->text + name.substr(prefix_->replaces) : name;
}

}  // namespace isoshard
