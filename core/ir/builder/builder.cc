// The only way to make a Program: append() infers dtypes and shapes of results, whose errors stop, and then states per
// axis, whose errors stay with the op (docs/adr/0003-states-are-inferred-by-the-builder.md; docs/spec/states.md, "State
// errors"). So a Program never holds a type that does not follow from its ops, and no second checker is needed. Which
// values are exactly zero is followed through ops that keep zero, because zeros may meet P. Values, ops and regions are
// those of an OpenProgram; a ScanBuilder types loops, and ReturnChecks know the rules of what a program returns.
// Constant time per op, but for a scan's body, which is typed until its carries stay.
#include "core/ir/builder/builder.h"

#include <algorithm>
#include <utility>

#include "core/ir/builder/return_checks.h"
#include "core/ir/builder/scan_builder.h"
#include "core/ir/vjp_signature.h"
#include "core/support/check.h"

namespace isoshard {
namespace {

const Group* group_of(const OpData& data) {
  return std::visit(
      [](const auto& op) -> const Group* {
        if constexpr (requires { op.axis; }) {
          return &op.axis;
        } else {
          return nullptr;
        }
      },
      data);
}

/// Values without a gradient are =, V or P: R and I differ in the gradient only.
void drop_gradient(States& states) {
  for (State& state : states) {
    if (state == State::replicated || state == State::invariant) state = State::equal;
  }
}

bool has_repeats(const Group& group) {
  std::vector<AxisId> axes = group.axes;
  std::sort(axes.begin(), axes.end());
  return std::adjacent_find(axes.begin(), axes.end()) != axes.end();
}

}  // namespace

Builder::Builder(Module& module, std::string name, std::shared_ptr<const Mesh> mesh, DiagnosticSink& sink,
                 BuilderOptions options)
    : module_(module), sink_(sink), open_(std::move(name), std::move(mesh), sink, std::move(options)) {}

ValueId Builder::argument(std::string name, ValueType type, Location location) {
  ISOSHARD_CHECK(program().kind() == ProgramKind::function, "only functions have arguments");
  return open_.add_argument({std::move(type), OpId(), std::move(name), std::move(location)});
}

bool Builder::check_structure(const OpData& data, const std::vector<ValueId>& operands, const Location& location) {
  ISOSHARD_CHECK(!std::holds_alternative<Scan>(data), "Builder::scan makes scans");
  if (open_.captures(op_name(data), operands, location)) return false;
  const auto op = [&] { return std::string(op_name(data)); };
  const int expected = operand_count(data);
  if (expected >= 0 ? operands.size() != static_cast<size_t>(expected)
                    : operands.empty() && !std::holds_alternative<Call>(data)) {
    sink_.error("V-operands", location,
                op() + ": has " + std::to_string(operands.size()) + " operands; expected " +
                    (expected < 0 ? "at least 1" : std::to_string(expected)));
    return false;
  }
  if (std::holds_alternative<PipelineRun>(data) &&
      (program().kind() != ProgramKind::program || !program().typed() || !open_.at_top())) {
    sink_.error("V-pipeline", location,
                op() + ": stands in " +
                    (!open_.at_top()      ? "a scan"
                     : !program().typed() ? "an untyped program"
                                          : "a func") +
                    "; expected the body of a typed program, whose ranks each run a stage");
    return false;
  }
  const Group* group = group_of(data);
  if (group != nullptr && (group->empty() || has_repeats(*group))) {
    sink_.error("V-group", location,
                op() + ": `axis` is " + (group->empty() ? "missing" : "a tuple with a repeated axis") +
                    "; expected one axis or a tuple of different axes");
    return false;
  }
  if (const View* view = std::get_if<View>(&data)) {
    const Global& global = module_.global(view->global);
    return check_layout(view->layout, LayoutUse::view, global.type.shape.size(), mesh(), "view @" + global.name,
                        location, sink_);
  }
  if (const BlockSize* size = std::get_if<BlockSize>(&data)) {
    const Global& global = module_.global(size->global);
    return check_layout(size->layout, LayoutUse::view, global.type.shape.size(), mesh(), "block_size @" + global.name,
                        location, sink_);
  }
  return true;
}

bool Builder::is_exact_zero(const OpData& data, const std::vector<ValueId>& operands) const {
  if (const Constant* constant = std::get_if<Constant>(&data)) return constant->value.is_zero();
  const auto zero = [&](ValueId id) { return open_.is_exact_zero(id); };
  const ZerosStay zeros = op_facts(data).zeros;
  if (zeros == ZerosStay::of_all) return std::all_of(operands.begin(), operands.end(), zero);
  return zeros == ZerosStay::of_first && zero(operands[0]);
}

ValueType Builder::infer_state(const OpData& data, const std::vector<ValueId>& operands, TensorType type, Op& op,
                               size_t index) {
  const States unknown(mesh().axis_count(), State::unknown);
  std::vector<Diagnostic> errors;
  StateContext context{mesh(),      module_, program().typed(), op_name(data), {},
                       op.location, errors,  unknown,           false,         index};
  const View* view = std::get_if<View>(&data);
  context.has_gradient = view != nullptr && module_.global(view->global).has_gradient();
  context.operands.reserve(operands.size());
  for (const ValueId id : operands) {
    context.operands.push_back(open_.unnamed_state(id));
    context.has_gradient |= context.operands.back().has_gradient;
  }
  context.has_gradient &= is_float(type.dtype);
  isoshard::infer_states(data, context);
  if (!errors.empty()) {
    // Only messages name operands, and to say what a value is in the source takes longer than all the rest.
    errors.clear();
    context.result = unknown;
    for (size_t i = 0; i < operands.size(); ++i) context.operands[i] = open_.operand_state(operands[i]);
    isoshard::infer_states(data, context);
    for (Diagnostic& error : errors) op.state_errors.push_back(std::move(error));
  }
  if (!context.has_gradient) drop_gradient(context.result);
  return ValueType{std::move(type), std::move(context.result), context.has_gradient};
}

bool Builder::is_gradient(const OpData& data) const {
  const Call* call = std::get_if<Call>(&data);
  return call != nullptr && module_.program(call->callee).name().ends_with(".grad");
}

std::optional<std::vector<ValueType>> Builder::infer(const OpData& data, const std::vector<ValueId>& operands, Op& op) {
  std::vector<const TensorType*> tensors;
  tensors.reserve(operands.size());
  for (const ValueId id : operands) tensors.push_back(&type(id).tensor);
  const InferContext context(mesh(), module_, std::move(tensors), op_name(data), op.location, sink_);
  Inferred inferred = infer_types(data, context);
  if (!inferred) return std::nullopt;
  std::vector<ValueType> result;
  result.reserve(inferred->size());
  if (const Call* call = std::get_if<Call>(&data); call != nullptr && call->vjp.valid()) {
    for (std::string& wrong : wrong_dual_states(module_.function(call->callee), module_.function(call->vjp), mesh())) {
      op.state_errors.push_back(Diagnostic{Severity::error, "S-vjp", op.location, "call: " + std::move(wrong), {}});
    }
  }
  for (size_t i = 0; i < inferred->size(); ++i) {
    if (const Call* call = std::get_if<Call>(&data)) {
      const Program& callee = module_.program(call->callee);
      result.push_back(callee.value(callee.body().results[i]).type);
    } else {
      result.push_back(infer_state(data, operands, std::move((*inferred)[i]), op, i));
    }
  }
  return result;
}

std::vector<ValueId> Builder::append(OpData data, std::vector<ValueId> operands, std::vector<std::string> names,
                                     Location location) {
  const auto failed = [&] {
    open_.fail();
    return std::vector<ValueId>(std::max<size_t>(1, names.size()));
  };
  const bool poisoned = std::any_of(operands.begin(), operands.end(), [](ValueId v) { return !v.valid(); });
  if (poisoned || !check_structure(data, operands, location)) return failed();
  Op op{{}, {}, {}, {}, std::move(location), {}};
  std::optional<std::vector<ValueType>> types = infer(data, operands, op);
  if (!types) return failed();
  if (!names.empty() && names.size() != types->size()) {
    sink_.error("V-results", op.location,
                std::string(op_name(data)) + ": has " + std::to_string(types->size()) + " results and " +
                    std::to_string(names.size()) + " names" +
                    (is_gradient(data) ? "; a grad gives the value of the func first, then its gradients" : ""));
    return failed();
  }
  const OpId id = open_.next_op();
  const bool zero = is_exact_zero(data, operands);
  op.results.reserve(types->size());
  for (size_t i = 0; i < types->size(); ++i) {
    op.results.push_back(
        open_.add({std::move((*types)[i]), id, names.empty() ? "" : std::move(names[i]), op.location, zero}));
  }
  op.data = std::move(data);
  op.operands = std::move(operands);
  return open_.add_op(std::move(op)).results;
}

ValueId Builder::add_op(OpData data, std::vector<ValueId> operands, std::string name, Location location) {
  return append(std::move(data), std::move(operands), {std::move(name)}, std::move(location)).front();
}

std::vector<ValueId> Builder::scan(const ScanOperands& operands, const ScanBody& body, Location location) {
  std::optional<std::vector<ValueId>> results = ScanBuilder(open_, module_, sink_, operands, location).append(body);
  if (results) return std::move(*results);
  open_.fail();
  return std::vector<ValueId>(std::max<size_t>(1, operands.result_names.size()));
}

void Builder::output(std::string name, ValueId value, Layout layout, Location location,
                     std::optional<TensorType> declared) {
  ISOSHARD_CHECK(program().kind() == ProgramKind::program, "functions return values, not outputs");
  ISOSHARD_CHECK(open_.at_top(), "an open scan");
  const std::vector<Output>& outputs = program().outputs();
  const bool known = std::any_of(outputs.begin(), outputs.end(), [&](const Output& o) { return o.name == name; });
  if (known) {
    sink_.error("V-output", location, "return: output @" + name + " is returned twice; expected one return per output");
  }
  if (known || !value.valid() ||
      !check_layout(layout, LayoutUse::output, type(value).tensor.shape.size(), mesh(), "return @" + name, location,
                    sink_)) {
    return open_.fail();
  }
  const ReturnChecks checks = return_checks();
  std::optional<TensorType> whole = checks.output_type(name, value, layout, declared, location);
  if (!whole) return open_.fail();
  ReturnPart part{value, std::move(layout), std::move(location)};
  open_.add_return_errors(checks.state_errors(part, name, "return"));
  open_.add_output(Output{std::move(name), std::move(*whole), {std::move(part)}});
}

void Builder::update(GlobalId global, ValueId value, Layout layout, Location location) {
  ISOSHARD_CHECK(program().kind() == ProgramKind::program, "functions update nothing");
  ISOSHARD_CHECK(open_.at_top(), "an open scan");
  const Global& target = module_.global(global);
  const ReturnChecks checks = return_checks();
  if (!checks.can_update(target, value, layout, location)) return open_.fail();
  ReturnPart part{value, std::move(layout), std::move(location)};
  open_.add_return_errors(checks.state_errors(part, target.name, "update"));
  open_.add_update(target, global, std::move(part));
}

void Builder::results(std::vector<ValueId> values, Location location) {
  ISOSHARD_CHECK(program().kind() == ProgramKind::function, "programs return outputs");
  ISOSHARD_CHECK(open_.at_top(), "an open scan");
  if (!program().body().results.empty()) {
    sink_.error("V-output", location, "return: the func returns twice; expected one return");
    open_.fail();
  }
  if (std::any_of(values.begin(), values.end(), [](ValueId id) { return !id.valid(); })) open_.fail();
  open_.set_results(std::move(values));
}

ReturnChecks Builder::return_checks() const { return {program(), module_, sink_}; }

/// Reports a program that returns nothing, unless an earlier error says why.
void Builder::check_returns() {
  const bool is_function = program().kind() == ProgramKind::function;
  const bool empty =
      is_function ? program().body().results.empty() : program().outputs().empty() && program().updates().empty();
  if (!empty || open_.failed()) return;
  sink_.error(
      "V-return", program().location(),
      std::string(is_function ? "func @" : "program @") + program().name() + " returns nothing; expected " +
          (is_function ? "`return %value`" : "`return @name = %value [layout]` or `update @global = %value [layout]`"));
  open_.fail();
}

std::optional<ProgramId> Builder::finish() {
  check_returns();
  const ReturnChecks checks = return_checks();
  const bool names = checks.names_differ(), updates = checks.updates_cover();
  if (open_.failed() || !names || !updates || !checks.views_and_outputs_cover()) return std::nullopt;
  module_.programs.push_back(open_.take());
  return ProgramId(module_.programs.size() - 1);
}

}  // namespace isoshard
