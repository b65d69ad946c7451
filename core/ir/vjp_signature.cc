// What the backward function of a func must take and give (docs/spec/autodiff.md, "Rules"; docs/spec/states.md,
// "Cotangents"): first the arguments of the func, without gradients, then a cotangent for each result that has one; it
// gives one cotangent for each argument that has. A cotangent has the dual state: that of R is P, that of V is V, and
// all others have =. So whether a backward written by hand reduces what it should is a question of states, and a
// difference is reported with the conversion that would mend it. Cost: arguments times axes.
#include "core/ir/vjp_signature.h"

#include <optional>
#include <utility>

namespace isoshard {
namespace {

ValueType type_without_gradient(ValueType type) {
  type.has_gradient = false;
  for (State& state : type.states) {
    if (state == State::replicated || state == State::invariant) state = State::equal;
  }
  return type;
}

ValueType cotangent_type(ValueType type, bool typed) {
  type.has_gradient = false;
  for (State& state : type.states) state = typed ? dual(state) : State::varying;
  return type;
}

/// How to get the dual state, for messages.
std::string gradient_repair(State given, State wanted) {
  if (wanted == State::partial && given == State::varying) {
    return "reinterpret {to=P}, where the devices' values are its terms";
  }
  if (wanted == State::partial) return "leave the reduction to the caller, or convert_state {to=P, owner=0}";
  if (wanted == State::varying && given == State::partial) return "reduce_scatter it, or reinterpret {to=V}";
  if (wanted == State::varying) return "reinterpret {to=V}, or slice_block for the device's own block";
  return given == State::partial ? "all_reduce it" : "all_reduce its terms, or all_gather its blocks";
}

}  // namespace

State dual(State state) {
  switch (state) {
    case State::replicated:
      return State::partial;
    case State::varying:
      return State::varying;
    case State::unknown:
      return State::unknown;
    case State::invariant:
    case State::partial:
    case State::equal:
      return State::equal;
  }
  return State::unknown;
}

VjpSignature vjp_signature(const FunctionSignature& function) {
  VjpSignature result;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ValueType& type = function.parameters[i]->type;
    result.arguments.push_back(type_without_gradient(type));
    if (!type.has_gradient) continue;
    result.wrt.push_back(i);
    result.gradients.push_back(cotangent_type(type, function.typed));
  }
  for (size_t i = 0; i < function.results.size(); ++i) {
    const ValueType& type = function.results[i]->type;
    if (!type.has_gradient) continue;
    result.results.push_back(i);
    result.arguments.push_back(cotangent_type(type, function.typed));
  }
  return result;
}

std::vector<std::string> wrong_dual_states(const FunctionSignature& function, const FunctionSignature& backward,
                                           const Mesh& mesh) {
  std::vector<std::string> result;
  if (!function.typed) return result;
  const VjpSignature signature = vjp_signature(function);
  for (size_t k = 0; k < signature.gradients.size(); ++k) {
    const Value& argument = *function.parameters[signature.wrt[k]];
    const States& given = backward.results[k]->type.states;
    const States& wanted = signature.gradients[k].states;
    for (size_t a = 0; a < wanted.size(); ++a) {
      if (given[a] == wanted[a] || given[a] == State::unknown || wanted[a] == State::unknown) continue;
      result.push_back("@" + backward.name + ", the backward of @" + function.name + ", gives the gradient of %" +
                       argument.name + " as " + letter(given[a]) + " over `" + mesh.axes()[a].name + "`; expected " +
                       letter(wanted[a]) + ", the dual of " + letter(argument.type.states[a]) + ": " +
                       gradient_repair(given[a], wanted[a]));
      break;
    }
  }
  return result;
}

}  // namespace isoshard
