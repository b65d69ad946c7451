// Types of the op `pipeline`, and what it refuses (docs/spec/plan.md, "Pipelines"; docs/adr/0024-pipelines.md). The
// stage takes and gives activations of one type, and the loss takes the last stage's output. An operand is either the
// same for all micro-batches or cut along dimension 0. The schedule, a known name or a list of actions, is checked in
// full here (core/schedule), so that lowering takes it as right. The number of actions is limited before any list is
// made. Cost: stages times micro-batches.
#include "core/ir/ops/pipeline.h"

#include <algorithm>
#include <utility>

#include "core/schedule/schedules.h"
#include "core/support/quoted.h"
#include "core/support/result.h"

namespace isoshard {
namespace {

constexpr int64_t kMostActions = 200000;

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
Result<schedule::ActionLists> read_schedule(const PipelineRun& op, int64_t stages) {
  if (!op.actions.empty()) {
    std::string text = op.actions;
    std::replace(text.begin(), text.end(), ';', '\n');
    return schedule::parse_csv(std::make_shared<SourceFile>(SourceFile{"actions", std::move(text)}));
  }
  std::optional<schedule::ActionLists> lists = schedule::by_name(op.schedule, stages, op.microbatches);
  if (lists) return std::move(*lists);
  std::string names;
  for (const std::string& name : schedule::schedule_names()) names += (names.empty() ? "" : ", ") + quoted(name);
  return failure("V-schedule", Location(),
                 "there is no schedule " + quoted(op.schedule) + "; expected one of " + names);
}

}  // namespace

PipelineFunctions PipelineRun::functions(const SymbolTable& symbols) const {
  return {symbols.function(stage), symbols.function(loss)};
}

bool PipelineRun::is_cut(const TensorType& type, const TensorType& parameter) const {
  return type != parameter && !parameter.shape.empty() && type == joined(parameter, microbatches);
}

schedule::ActionLists PipelineRun::action_lists(const Mesh& mesh) const { return *read_schedule(*this, stages(mesh)); }

bool PipelineRun::check_funcs(const InferContext& context) const {
  const auto [f, l] = functions(context.symbols());
  const auto fail = [&](const std::string& message) {
    context.error("T-pipeline", message);
    return false;
  };
  if (axis.axes.size() != 1) return fail("`axis` is a tuple of axes; expected one axis, with one stage per coordinate");
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
  if (is_float(value.dtype) && value.shape.empty()) return true;
  return fail("the loss @" + l.name + " gives " + to_string(value) + "; expected a float scalar");
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
    const std::string parts = to_string(joined(of_parameter, microbatches)) + ", " + std::to_string(microbatches) +
                              " micro-batches of " + to_string(of_parameter);
    context.error("T-pipeline", "operand " + std::to_string(i) + " is " + to_string(given) + "; expected " +
                                    (i == 0 || of_parameter.shape.empty() ? "" : to_string(of_parameter) + ", or ") +
                                    (of_parameter.shape.empty() ? to_string(of_parameter) : parts));
    return false;
  }
  return true;
}

bool PipelineRun::check_schedule(const InferContext& context) const {
  const int64_t count_of_stages = stages(context.mesh());
  const auto fail = [&](const std::string& message) {
    context.error("V-schedule", message);
    return false;
  };
  if (schedule.empty() == actions.empty()) return fail("expected one of `schedule` and `actions`");
  if (microbatches > kMostActions / count_of_stages) {
    return fail("there are " + std::to_string(microbatches) + " micro-batches for " + std::to_string(count_of_stages) +
                " stages; expected at most " + std::to_string(kMostActions) + " of them together");
  }
  const Result<schedule::ActionLists> lists = read_schedule(*this, count_of_stages);
  if (!lists) return fail(lists.error().message);
  const std::optional<schedule::ScheduleError> error = schedule::schedule_error(*lists, count_of_stages, microbatches);
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
  if (!check_funcs(context) || !check_operands(context) || !check_schedule(context) || !check_wrt(context)) {
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

ValueType stage_argument(ValueType operand, const Group& axis, int64_t microbatches, bool cut, bool activation) {
  if (cut) operand.tensor.shape[0] /= microbatches;
  if (activation) operand.has_gradient = true;
  operand.states[axis.axes[0].index()] = State::varying;
  return operand;
}

}  // namespace isoshard
