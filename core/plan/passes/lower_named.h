#pragma once

#include <map>
#include <string>

#include "core/plan/plan.h"

namespace isoshard {

/// A Plan, and what the program itself calls the results of its calls: from names in the Plan (`loss.grad.2.g`) to
/// names in the program (`dw.2`).
struct NamedPlan {
  Plan plan;
  std::map<std::string, std::string> call_results;
};

/// lower(), for reports that name values.
NamedPlan lower_named(const Module& module, ProgramId program);

}  // namespace isoshard
