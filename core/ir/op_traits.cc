// The rows of the state table that ops share, one axis at a time (docs/spec/states.md, "Rows of the state table"). Each
// row is a small function of the operands' states; what does not follow is an error that names both operands and a
// repair, and leaves `?` on that axis only, which no further rule reports again. In untyped programs only = and V
// exist, and rows join these. docs/types.md has the tables of all pairs; tests/unit/ir/ir_states_test.cc tests each
// entry. Cost: operands times axes.
#include "core/ir/op_traits.h"

#include <algorithm>

#include "core/ir/state_repairs.h"

namespace isoshard {
namespace {

using enum State;

bool any(const StateContext& context, AxisId axis, State state) {
  for (size_t i = 0; i < context.operands.size(); ++i) {
    if (context.operand(i, axis) == state) return true;
  }
  return false;
}

std::string list_operands(const StateContext& context, AxisId axis) {
  std::string text;
  for (size_t i = 0; i < context.operands.size(); ++i) {
    if (i != 0) text += i + 1 == context.operands.size() ? " and " : ", ";
    text += context.operands[i].name + " (" + letter(context.operand(i, axis)) + ")";
  }
  return text;
}

/// The first operand that is `state` over `axis`; null when there is none.
const OperandState* find(const StateContext& context, AxisId axis, State state) {
  for (const OperandState& x : context.operands) {
    if (x.states[axis.index()] == state) return &x;
  }
  return nullptr;
}

/// What to write to make the operands of a jointly linear op agree.
std::string repair_join(const StateContext& context, AxisId axis) {
  const std::string& name = context.mesh.axis(axis).name;
  const OperandState* terms = find(context, axis, partial);
  const OperandState* blocks = find(context, axis, varying);
  if (terms != nullptr && blocks != nullptr) {
    return "if " + blocks->name + " holds terms of the same sum, " + reinterpret_text(*blocks, name, partial) +
           "; otherwise reduce first: " + all_reduce_text(*terms, name);
  }
  if (terms != nullptr) {
    return "the sum over `" + name + "` would count the other operand " + std::to_string(context.mesh.axis(axis).size) +
           " times; reduce first: " + all_reduce_text(*terms, name);
  }
  const OperandState* reduced = find(context, axis, invariant);
  return "their gradients would be of two kinds; " + reinterpret_text(*reduced, name, replicated) +
         " (its backward is an all_reduce), or write to=R where a collective makes it";
}

State join_error(StateContext& context, AxisId axis, const char* rule) {
  context.error(rule, axis,
                list_operands(context, axis) + " do not combine over `" + context.mesh.axis(axis).name +
                    "`: " + repair_join(context, axis));
  return unknown;
}

/// R, I, V and = together; `=` acts as R or I, whichever the others need.
State join_equal_kinds(StateContext& context, AxisId axis, const char* rule) {
  const bool r = any(context, axis, replicated), i = any(context, axis, invariant), v = any(context, axis, varying);
  if (i && (r || v)) return join_error(context, axis, rule);
  if (v) return varying;
  if (i) return invariant;
  return r ? replicated : equal;
}

State join_linear(StateContext& context, AxisId axis) {
  if (!any(context, axis, partial)) return join_equal_kinds(context, axis, "S-linear");
  for (size_t i = 0; i < context.operands.size(); ++i) {
    const State state = context.operand(i, axis);
    if (state == partial || (state == equal && context.operands[i].exact_zero)) continue;
    return join_error(context, axis, "S-linear");
  }
  return partial;
}

State join_bilinear(StateContext& context, AxisId axis) {
  const State a = context.operand(0, axis), b = context.operand(1, axis);
  if (a != partial && b != partial) return join_equal_kinds(context, axis, "S-bilinear");
  const size_t other_index = a == partial ? 1 : 0;
  const State other = context.operand(other_index, axis);
  if (other == replicated || other == equal) return partial;
  const std::string& name = context.mesh.axis(axis).name;
  const std::string reduce_first = all_reduce_text(context.operands[1 - other_index], name) + " first";
  const std::string why = other == partial   ? "a product of two sums is not the sum of the products; " + reduce_first
                          : other == varying ? "each device would scale its term differently; " + reduce_first
                                             : "the gradient of an I operand would be partial; " +
                                                   reinterpret_text(context.operands[other_index], name, replicated);
  context.error("S-bilinear", axis, list_operands(context, axis) + " do not multiply over `" + name + "`: " + why);
  return unknown;
}

State join_nonlinear(StateContext& context, AxisId axis) {
  for (size_t i = 0; i < context.operands.size(); ++i) {
    if (context.operand(i, axis) != partial) continue;
    const std::string& name = context.mesh.axis(axis).name;
    const std::string op(context.op);
    context.error("S-nonlinear", axis,
                  context.operands[i].name + " is P over `" + name + "`, and " + op + " of a sum is not the sum of " +
                      op + "; " + all_reduce_text(context.operands[i], name) + " first");
    return unknown;
  }
  return join_equal_kinds(context, axis, "S-nonlinear");
}

/// What a predicate, index or start does to the result over `axis`.
void apply_selector(const OperandState& selector, AxisId axis, StateContext& context) {
  const State state = selector.states[axis.index()], data = context.result[axis.index()];
  const std::string& name = context.mesh.axis(axis).name;
  const OperandState* other = find(context, axis, data);
  if (state == unknown || data == unknown) {
    context.set(axis, unknown);
  } else if (state == partial) {
    context.error("S-selector", axis,
                  selector.name + " is P over `" + name +
                      "` and selects; a term of a sum is no index and no predicate; " +
                      all_reduce_text(selector, name) + " first");
  } else if (state == varying && (data == partial || data == invariant)) {
    context.error("S-selector", axis,
                  selector.name + " is V over `" + name + "`, so that devices select differently, and " + other->name +
                      " is " + letter(data) + "; " +
                      (data == partial ? all_reduce_text(*other, name) : reinterpret_text(*other, name, replicated)) +
                      " first");
  } else if (state == varying) {
    context.set(axis, varying);
  }
}

}  // namespace

std::vector<const TensorType*> pointers_to(const std::vector<TensorType>& types) {
  std::vector<const TensorType*> result;
  for (const TensorType& type : types) result.push_back(&type);
  return result;
}

std::nullopt_t InferContext::error(std::string rule, const std::string& message) const {
  sink_.error(std::move(rule), location_, std::string(op_) + ": " + message);
  return std::nullopt;
}

void StateContext::error(std::string rule, AxisId axis, const std::string& message) {
  diagnostics.push_back(Diagnostic{Severity::error, std::move(rule), location, std::string(op) + ": " + message, {}});
  set(axis, unknown);
}

State apply_rule(StateRule rule, StateContext& context, AxisId axis) {
  if (any(context, axis, unknown)) return unknown;
  if (!context.typed) return any(context, axis, varying) ? varying : equal;
  switch (rule) {
    case StateRule::constant:
      return equal;
    case StateRule::jointly_linear:
      return join_linear(context, axis);
    case StateRule::unary_linear:
      return context.operand(0, axis);
    case StateRule::bilinear:
      return join_bilinear(context, axis);
    case StateRule::nonlinear:
      return join_nonlinear(context, axis);
    case StateRule::custom:
      break;
  }
  return unknown;
}

void infer_states_by_rule(StateRule rule, StateContext& context) {
  for (size_t i = 0; i < context.result.size(); ++i) context.set(AxisId(i), apply_rule(rule, context, AxisId(i)));
}

void infer_states_with_selectors(StateRule rule, size_t first, size_t last, StateContext& context) {
  const std::vector<OperandState> all = context.operands;
  const std::vector<OperandState> selectors(all.begin() + static_cast<std::ptrdiff_t>(first),
                                            all.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  context.operands.erase(context.operands.begin() + static_cast<std::ptrdiff_t>(first),
                         context.operands.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  infer_states_by_rule(rule, context);
  for (const OperandState& selector : selectors) {
    for (size_t i = 0; i < context.result.size(); ++i) apply_selector(selector, AxisId(i), context);
  }
  context.operands = all;
}

void apply_partial(const AxisSet& axes, StateContext& context) {
  for (size_t i = 0; i < context.result.size(); ++i) {
    const AxisId axis(i);
    const State state = context.result[i];
    if (!axes.contains(axis) || state == unknown) continue;
    const std::string subject = "`partial={" + context.mesh.axis(axis).name + "}`";
    if (!context.typed) {
      context.error("S-untyped", axis, subject + " does not apply: untyped programs have only = and V; leave it out");
    } else if (state != varying) {
      context.error(
          "S-partial", axis,
          subject + " needs a result that is V there; that of " + list_operands(context, axis) + " is " +
              letter(state) +
              (state == partial ? " already" : ": no operand is sharded over `" + context.mesh.axis(axis).name + "`") +
              "; leave it out");
    } else {
      context.set(axis, partial);
    }
  }
}

}  // namespace isoshard
