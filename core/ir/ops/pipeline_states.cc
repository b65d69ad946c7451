// The states of a pipeline's results, and what its operands may be.
// Over the axis of the stages each device runs its own stage, so operands are V there inside; outside they may be R, =
// or V, while P and I have no part for a stage. Over all other axes states are those that the funcs were made for, and
// a stage gives the state that it takes. The loss must be one on all devices. Results: the loss is P over the stages,
// since the last stage alone has it, and gradients have the dual states (docs/spec/states.md, "Cotangents"). Cost:
// operands times axes.
#include "core/ir/ops/pipeline.h"

namespace isoshard {
namespace {

/// Of the gradient of a value, which has no gradient itself: = for I and P.
State gradient_state(State state) {
  if (state == State::replicated) return State::partial;
  return state == State::invariant || state == State::partial ? State::equal : state;
}

State without_gradient(State state) {
  return state == State::replicated || state == State::invariant ? State::equal : state;
}

/// The parameter that operand `i` is bound to, and what is V over the axis inside: R and =, V.
void check_operand(const PipelineRun& op, size_t i, const ValueType& parameter, StateContext& context) {
  const OperandState& operand = context.operands[i];
  for (size_t a = 0; a < operand.states.size(); ++a) {
    const AxisId axis(a);
    const State given = operand.states[a], wanted = parameter.states[a];
    const std::string is = operand.name + " is " + letter(given) + " over `" + context.mesh.axis(axis).name + "`";
    if (given == State::unknown || wanted == State::unknown) continue;
    if (axis == op.axis.axes[0]) {
      if (given != State::partial && given != State::invariant) continue;
      context.error("S-pipeline", axis,
                    is + ", along which the stages stand; expected R, = or V: each stage has its own part of the " +
                        (given == State::partial ? "sum, all_reduce it first" : "gradient, reinterpret {to=R}"));
    } else if (given != wanted) {
      context.error("S-pipeline", axis,
                    is + " and the func was made for " + letter(wanted) + "; expected one type for both");
    }
  }
}

/// What one stage gives the next one takes.
void check_activation(const FunctionSignature& stage, StateContext& context) {
  const ValueType& in = stage.parameters[0]->type;
  const ValueType& out = stage.results[0]->type;
  for (size_t a = 0; a < in.states.size(); ++a) {
    if (in.states[a] == out.states[a] || out.states[a] == State::unknown || in.states[a] == State::unknown) continue;
    context.error("S-pipeline", AxisId(a),
                  "the stage @" + stage.name + " takes its input as " + letter(in.states[a]) + " over `" +
                      context.mesh.axis(AxisId(a)).name + "` and gives " + letter(out.states[a]) +
                      "; expected the same state, the next stage takes what it gives");
  }
}

void check_loss(const PipelineRun& op, const ValueType& loss, StateContext& context) {
  for (size_t a = 0; a < loss.states.size(); ++a) {
    if (AxisId(a) == op.axis.axes[0] || loss.states[a] != State::varying) continue;
    const std::string& name = context.mesh.axis(AxisId(a)).name;
    context.error("S-pipeline", AxisId(a),
                  "the loss is V over `" + name + "`, every device has a loss of its own; expected one loss: sum it " +
                      "(partial={" + name + "} on the reduce) or all_reduce it");
  }
}

}  // namespace

void PipelineRun::infer_states(StateContext& context) const {
  const PipelineFunctions bound = functions(context.symbols);
  const std::vector<const Value*>& results = bound.loss.results;
  const size_t before = context.diagnostics.size();
  context.has_gradient = false;
  if (context.index == 0) {
    for (size_t i = 0; i < context.operands.size(); ++i) check_operand(*this, i, bound.parameter(i), context);
    check_activation(bound.stage, context);
    check_loss(*this, results[0]->type, context);
    if (context.diagnostics.size() != before) return;
  }
  for (size_t a = 0; a < context.result.size(); ++a) {
    const AxisId id(a);
    if (context.index >= results.size()) {
      context.set(id, gradient_state(context.operand(static_cast<size_t>(wrt[context.index - results.size()]), id)));
    } else if (id == axis.axes[0]) {
      context.set(id, State::partial);
    } else {
      context.set(id, without_gradient(results[context.index]->type.states[a]));
    }
  }
}

}  // namespace isoshard
