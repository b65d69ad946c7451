#include "core/ir/ops/call.h"

#include "core/ir/module.h"

namespace isoshard {

Inferred Call::infer(const InferContext& context) const {
  const Program& function = context.module().program(callee);
  const std::vector<ValueId>& parameters = function.body().arguments;
  if (parameters.size() != context.operand_count()) {
    return context.error("T-call", "@" + function.name() + " takes " + std::to_string(parameters.size()) +
                                       " arguments and gets " + std::to_string(context.operand_count()));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Value& parameter = function.value(parameters[i]);
    if (parameter.type.tensor == context.operand(i)) continue;
    return context.error("T-call", "argument " + std::to_string(i) + " is " + to_string(context.operand(i)) +
                                       "; expected " + to_string(parameter.type.tensor) + " for %" + parameter.name +
                                       " of @" + function.name());
  }
  std::vector<TensorType> results;
  for (const ValueId id : function.body().results) results.push_back(function.value(id).type.tensor);
  return results;
}

void Call::infer_states(StateContext&) const {
  // The Builder copies the states of the instance's results: a call has many results, each with its own.
}

}  // namespace isoshard
