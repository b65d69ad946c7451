// Types of calls: arguments are those that the func was made for, and the results those of its body. A backward that a
// user writes must take the arguments and the cotangents, and give the gradients, that vjp_signature.cc says; its
// states are looked at there. The states of results are copied by the Builder, since a func is made anew for other
// states of arguments. Cost: the number of arguments.
#include "core/ir/ops/call.h"

#include "core/ir/vjp_signature.h"
#include "core/support/counted.h"

namespace isoshard {
namespace {

/// What is wrong with the shapes of a user-written backward; empty: nothing.
std::string wrong_backward(const FunctionSignature& function, const FunctionSignature& backward) {
  const VjpSignature wanted = vjp_signature(function);
  const std::vector<const Value*>&parameters = backward.parameters, &results = backward.results;
  if (parameters.size() != wanted.arguments.size()) {
    return "takes " + counted(parameters.size(), "argument") + "; expected " + std::to_string(wanted.arguments.size()) +
           ": the " + std::to_string(wanted.arguments.size() - wanted.results.size()) + " of @" + function.name +
           ", then " + counted(wanted.results.size(), "cotangent") + " of its results with a gradient";
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Value& parameter = *parameters[i];
    if (parameter.type.tensor == wanted.arguments[i].tensor) continue;
    return "takes " + to_string(parameter.type.tensor) + " as %" + parameter.name + "; expected " +
           to_string(wanted.arguments[i].tensor);
  }
  if (results.size() != wanted.gradients.size()) {
    return "gives " + counted(results.size(), "result") + "; expected " + std::to_string(wanted.gradients.size()) +
           ": a cotangent for each argument of @" + function.name + " with a gradient";
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const TensorType& given = results[i]->type.tensor;
    if (given == wanted.gradients[i].tensor) continue;
    return "gives " + to_string(given) + " as result " + std::to_string(i) + "; expected " +
           to_string(wanted.gradients[i].tensor) + ", as %" + function.parameters[wanted.wrt[i]]->name + " of @" +
           function.name;
  }
  return "";
}

}  // namespace

Inferred Call::infer(const InferContext& context) const {
  const FunctionSignature function = context.symbols().function(callee);
  const std::vector<const Value*>& parameters = function.parameters;
  if (parameters.size() != context.operand_count()) {
    return context.error("T-call", "@" + function.name + " takes " + std::to_string(parameters.size()) +
                                       " arguments and gets " + std::to_string(context.operand_count()));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Value& parameter = *parameters[i];
    if (parameter.type.tensor == context.operand(i)) continue;
    return context.error("T-call", "argument " + std::to_string(i) + " is " + to_string(context.operand(i)) +
                                       "; expected " + to_string(parameter.type.tensor) + " for %" + parameter.name +
                                       " of @" + function.name);
  }
  if (vjp.valid()) {
    const FunctionSignature backward = context.symbols().function(vjp);
    const std::string wrong = wrong_backward(function, backward);
    if (!wrong.empty()) {
      return context.error("T-vjp", "@" + backward.name + ", the backward of @" + function.name + ", " + wrong);
    }
  }
  std::vector<TensorType> results;
  for (const Value* value : function.results) results.push_back(value->type.tensor);
  return results;
}

void Call::infer_states(StateContext&) const {
  // The Builder copies the states of the instance's results: a call has many results, each with its own.
}

}  // namespace isoshard
