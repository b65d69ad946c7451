#include "core/ir/ops/call.h"

#include "core/ir/module.h"
#include "core/ir/vjp_signature.h"
#include "core/support/counted.h"

namespace isoshard {
namespace {

/// What is wrong with the shapes of a user-written backward; empty: nothing.
std::string wrong_backward(const Program& function, const Program& backward) {
  const VjpSignature wanted = vjp_signature(function);
  const std::vector<ValueId>&parameters = backward.body().arguments, &results = backward.body().results;
  if (parameters.size() != wanted.arguments.size()) {
    return "takes " + counted(parameters.size(), "argument") + "; expected " + std::to_string(wanted.arguments.size()) +
           ": the " + std::to_string(wanted.arguments.size() - wanted.results.size()) + " of @" + function.name() +
           ", then " + counted(wanted.results.size(), "cotangent") + " of its results with a gradient";
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Value& parameter = backward.value(parameters[i]);
    if (parameter.type.tensor == wanted.arguments[i].tensor) continue;
    return "takes " + to_string(parameter.type.tensor) + " as %" + parameter.name + "; expected " +
           to_string(wanted.arguments[i].tensor);
  }
  if (results.size() != wanted.gradients.size()) {
    return "gives " + counted(results.size(), "result") + "; expected " + std::to_string(wanted.gradients.size()) +
           ": a cotangent for each argument of @" + function.name() + " with a gradient";
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const TensorType& given = backward.value(results[i]).type.tensor;
    if (given == wanted.gradients[i].tensor) continue;
    return "gives " + to_string(given) + " as result " + std::to_string(i) + "; expected " +
           to_string(wanted.gradients[i].tensor) + ", as %" +
           function.value(function.body().arguments[wanted.wrt[i]]).name + " of @" + function.name();
  }
  return "";
}

}  // namespace

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
  if (vjp.valid()) {
    const Program& backward = context.module().program(vjp);
    const std::string wrong = wrong_backward(function, backward);
    if (!wrong.empty()) {
      return context.error("T-vjp", "@" + backward.name() + ", the backward of @" + function.name() + ", " + wrong);
    }
  }
  std::vector<TensorType> results;
  for (const ValueId id : function.body().results) results.push_back(function.value(id).type.tensor);
  return results;
}

void Call::infer_states(StateContext&) const {
  // The Builder copies the states of the instance's results: a call has many results, each with its own.
}

}  // namespace isoshard
