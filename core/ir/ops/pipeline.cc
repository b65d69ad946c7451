// Types and states of the op `pipeline`, and what it refuses (docs/spec/plan.md, "Pipelines";
// docs/adr/0024-pipelines.md). The stage takes and gives activations of one type, and the loss takes the last stage's
// output. An operand is either the same for all micro-batches or cut along dimension 0. The schedule, a known name or a
// list of actions, is checked in full here (core/schedule), so that lowering takes it as right. The number of actions
// is limited before any list is made. Over the axis of the stages each device runs its own stage, so operands are V
// there inside; outside they may be R, = or V, while P and I have no part for a stage. Over all other axes states are
// those that the funcs were made for, and a stage gives the state that it takes. The loss is P over the stages, since
// the last stage alone has it, and gradients have the dual states (docs/spec/states.md, "Cotangents"). Cost: stages
// times micro-batches.
#include "core/ir/ops/pipeline.h"

#include <algorithm>
#include <utility>

#include "core/schedule/schedules.h"
#include "core/support/quoted.h"
#include "core/support/result.h"

namespace isoshard {
namespace {

constexpr int64_t kMostActions = int64_t{1} << 20;  // with stages of a few ops a Plan of a gigabyte

std::string count(size_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

const TensorType& parameter_type(const FunctionSignature& function, size_t i) {
  return function.parameters[i]->type.tensor;
}

const TensorType& result_type(const FunctionSignature& function, size_t i) { return function.results[i]->type.tensor; }

/// `microbatches` of `part` along dimension 0; a vector of scalars.
TensorType joined(TensorType part, int64_t microbatches) {
  if (part.shape.empty()) part.shape.push_back(1);
  part.shape[0] *= microbatches;
  return part;
}

/// What is wrong with the names of a schedule and with a list of actions; the lists where nothing is.
Result<schedule::ActionLists> read_schedule(const PipelineRun& op, const schedule::Placement& placement) {
  if (!op.actions.empty()) {
    std::string text = op.actions;
    std::replace(text.begin(), text.end(), ';', '\n');
    return schedule::parse_csv(std::make_shared<SourceFile>(SourceFile{"actions", std::move(text)}));
  }
  return schedule::by_name(op.schedule, placement, op.microbatches);
}

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

PipelineFunctions PipelineRun::functions(const SymbolTable& symbols) const {
  return {symbols.function(stage), symbols.function(loss)};
}

bool PipelineRun::is_cut(const TensorType& type, const TensorType& parameter) const {
  return type != parameter && !parameter.shape.empty() && type == joined(parameter, microbatches);
}

bool PipelineRun::is_stacked(const TensorType& type, const TensorType& parameter) const {
  return type.dtype == parameter.dtype && type.shape.size() == parameter.shape.size() + 1 &&
         type.shape[0] == stages_per_rank.value_or(1) &&
         std::equal(parameter.shape.begin(), parameter.shape.end(), type.shape.begin() + 1);
}

schedule::ActionLists PipelineRun::action_lists(const Mesh& mesh) const { return *read_schedule(*this, placed(mesh)); }

bool PipelineRun::check_funcs(const InferContext& context) const {
  const auto [f, l] = functions(context.symbols());
  const auto fail = [&](const std::string& message) {
    context.error("T-pipeline", message);
    return false;
  };
  if (axis.axes.size() != 1) return fail("`axis` is a tuple of axes; expected one axis, along which the stages stand");
  if (stages_per_rank && *stages_per_rank < 1) {
    return fail("`stages_per_rank` is " + std::to_string(*stages_per_rank) + "; expected at least 1");
  }
  if (microbatches < 1) return fail("`microbatches` is " + std::to_string(microbatches) + "; expected at least 1");
  if (f.parameters.empty() || f.results.size() != 1) {
    return fail("the stage @" + f.name + " has " + count(f.parameters.size(), "parameter") + " and " +
                count(f.results.size(), "result") + "; expected its input first, and its output alone");
  }
  const TensorType &in = parameter_type(f, 0), &out = result_type(f, 0);
  if (in != out || !is_float(in.dtype) || in.shape.empty()) {
    return fail("the stage @" + f.name + " takes " + to_string(in) + " and gives " + to_string(out) +
                "; expected floats of one shape, what one stage gives the next one takes");
  }
  if (l.parameters.empty() || l.results.empty() || parameter_type(l, 0) != out) {
    return fail("the loss @" + l.name + " takes " +
                (l.parameters.empty() ? "nothing" : to_string(parameter_type(l, 0))) +
                "; expected the output of the last stage first, " + to_string(out) + ", and a loss to return");
  }
  const TensorType& value = result_type(l, 0);
  if (!is_float(value.dtype) || !value.shape.empty()) {
    return fail("the loss @" + l.name + " gives " + to_string(value) + "; expected a float scalar");
  }
  for (size_t i = 1; i < l.results.size(); ++i) {
    const TensorType& further = result_type(l, i);
    if (is_numeric(further.dtype)) continue;
    return fail("the loss @" + l.name + " gives " + to_string(further) + " as result " + std::to_string(i) +
                "; expected numbers, which are 0 on the other ranks" +
                (further.dtype == DType::pred ? "; convert it" : ""));
  }
  return true;
}

bool PipelineRun::check_operands(const InferContext& context) const {
  const PipelineFunctions bound = functions(context.symbols());
  const size_t wanted = bound.operands();
  if (context.operand_count() != wanted) {
    context.error("T-pipeline", "has " + count(context.operand_count(), "operand") + "; expected " +
                                    std::to_string(wanted) + ", the arguments of @" + bound.stage.name +
                                    " and those of @" + bound.loss.name + " behind the output of the last stage");
    return false;
  }
  for (size_t i = 0; i < wanted; ++i) {
    const TensorType &given = context.operand(i), &of_parameter = bound.parameter(i).tensor;
    if (is_cut(given, of_parameter) || (given == of_parameter && (i > 0 || microbatches == 1))) continue;
    const bool of_stage = i > 0 && i < bound.stage_operands();
    if (of_stage && is_stacked(given, of_parameter)) continue;
    const std::string parts = to_string(joined(of_parameter, microbatches)) + ", " + std::to_string(microbatches) +
                              " micro-batches of " + to_string(of_parameter);
    context.error("T-pipeline",
                  "operand " + std::to_string(i) + " is " + to_string(given) + "; expected " +
                      (i == 0 || of_parameter.shape.empty() ? "" : to_string(of_parameter) + ", or ") +
                      (of_parameter.shape.empty() ? to_string(of_parameter) : parts) +
                      (of_stage && stages_per_rank.value_or(1) > 1
                           ? ", or one for each of the " + std::to_string(*stages_per_rank) + " stages of a rank"
                           : ""));
    return false;
  }
  return true;
}

bool PipelineRun::check_schedule(const InferContext& context) const {
  const schedule::Placement place = placed(context.mesh());
  const auto fail = [&](const std::string& message) {
    context.error("V-schedule", message);
    return false;
  };
  if (schedule.empty() == actions.empty()) return fail("expected one of `schedule` and `actions`");
  if (place.per_rank > kMostActions / place.ranks || microbatches > kMostActions / place.stages()) {
    return fail("there are " + std::to_string(microbatches) + " micro-batches for " + std::to_string(place.ranks) +
                " ranks of " + std::to_string(place.per_rank) + (place.per_rank == 1 ? " stage" : " stages") +
                " each; expected at most " + std::to_string(kMostActions) + " micro-batches of all stages together");
  }
  const Result<schedule::ActionLists> lists = read_schedule(*this, place);
  if (!lists) return fail(lists.error().message);
  const std::optional<schedule::ScheduleError> error = schedule::schedule_error(*lists, place, microbatches);
  return !error || fail(error->message);
}

bool PipelineRun::check_wrt(const InferContext& context) const {
  for (size_t w = 0; w < wrt.size(); ++w) {
    const bool known = wrt[w] >= 0 && wrt[w] < static_cast<int64_t>(context.operand_count());
    const bool again = std::find(wrt.begin(), wrt.begin() + static_cast<std::ptrdiff_t>(w), wrt[w]) !=
                       wrt.begin() + static_cast<std::ptrdiff_t>(w);
    if (known && !again && is_float(context.operand(static_cast<size_t>(wrt[w])).dtype)) continue;
    context.error("T-pipeline",
                  "wrt " + std::to_string(wrt[w]) +
                      (again   ? " stands twice"
                       : known ? " is no float"
                               : " is no operand; expected 0 to " + std::to_string(context.operand_count() - 1)));
    return false;
  }
  return true;
}

Inferred PipelineRun::infer(const InferContext& context) const {
  // The schedule bounds the number of micro-batches, by which sizes of operands are multiplied.
  if (!check_funcs(context) || !check_schedule(context) || !check_operands(context) || !check_wrt(context)) {
    return std::nullopt;
  }
  const FunctionSignature function = context.symbols().function(loss);
  std::vector<TensorType> results{result_type(function, 0)};
  for (size_t i = 1; i < function.results.size(); ++i) {
    results.push_back(joined(result_type(function, i), microbatches));
  }
  for (const int64_t i : wrt) results.push_back(context.operand(static_cast<size_t>(i)));
  return results;
}

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
      const State operand = context.operand(static_cast<size_t>(wrt[context.index - results.size()]), id);
      // Of a value that all stages have alike, each has a term: 0 where the stage does not read it.
      const bool term = id == axis.axes[0] && operand == State::equal;
      context.set(id, term ? State::partial : gradient_state(operand));
    } else if (id == axis.axes[0]) {
      context.set(id, State::partial);
    } else {
      context.set(id, without_gradient(results[context.index]->type.states[a]));
    }
  }
}

ValueType stage_argument(ValueType operand, const PipelineRun& pipeline, OperandPart part, bool activation) {
  Shape& shape = operand.tensor.shape;
  if (part == OperandPart::micro_batch) shape[0] /= pipeline.microbatches;
  if (part == OperandPart::stage) shape.erase(shape.begin());
  if (activation) operand.has_gradient = true;
  operand.states[pipeline.axis.axes[0].index()] = State::varying;
  return operand;
}

}  // namespace isoshard
