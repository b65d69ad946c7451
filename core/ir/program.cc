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
  for (size_t i = 0; i < op_count(); ++i) {
    const std::vector<Diagnostic>& errors = op(OpId(i)).state_errors;
    result.insert(result.end(), errors.begin(), errors.end());
  }
  result.insert(result.end(), contents_->return_errors.begin(), contents_->return_errors.end());
  return result;
}

}  // namespace isoshard
