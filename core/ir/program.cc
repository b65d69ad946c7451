#include "core/ir/program.h"

namespace isoshard {

std::vector<Diagnostic> Program::state_errors() const {
  std::vector<Diagnostic> result;
  for (const Op& op : ops_) result.insert(result.end(), op.state_errors.begin(), op.state_errors.end());
  result.insert(result.end(), return_errors_.begin(), return_errors_.end());
  return result;
}

}  // namespace isoshard
