#include "core/ir/program.h"

namespace isoshard {

FunctionSignature Program::signature() const {
  FunctionSignature result{contents_->name, contents_->typed, {}, {}};
  for (const ValueId id : contents_->body.arguments) result.parameters.push_back(&value(id));
  for (const ValueId id : contents_->body.results) result.results.push_back(&value(id));
  return result;
}

std::vector<Diagnostic> Program::state_errors() const {
  std::vector<Diagnostic> result;
  for (const Op& op : contents_->ops) result.insert(result.end(), op.state_errors.begin(), op.state_errors.end());
  result.insert(result.end(), contents_->return_errors.begin(), contents_->return_errors.end());
  return result;
}

}  // namespace isoshard
