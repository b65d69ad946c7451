#include "core/ir/program.h"

namespace isoshard {

FunctionSignature Program::signature() const {
  FunctionSignature result{name_, typed_, {}, {}};
  for (const ValueId id : body_.arguments) result.parameters.push_back(&value(id));
  for (const ValueId id : body_.results) result.results.push_back(&value(id));
  return result;
}

std::vector<Diagnostic> Program::state_errors() const {
  std::vector<Diagnostic> result;
  for (const Op& op : ops_) result.insert(result.end(), op.state_errors.begin(), op.state_errors.end());
  result.insert(result.end(), return_errors_.begin(), return_errors_.end());
  return result;
}

}  // namespace isoshard
