#include "verify/state_errors.h"

#include <algorithm>

namespace isoshard::verify {

std::vector<Diagnostic> type_errors(const Module& module, const Check& check) {
  std::vector<Diagnostic> result = module.state_errors(check.left);
  for (Diagnostic& d : module.state_errors(check.right)) {
    const auto same = [&](const Diagnostic& known) {
      return known.message == d.message && known.location.to_string() == d.location.to_string();
    };
    if (std::none_of(result.begin(), result.end(), same)) result.push_back(std::move(d));
  }
  return result;
}

}  // namespace isoshard::verify
