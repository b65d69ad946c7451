// The only way to make a Program: append() infers dtypes and shapes of results, whose errors stop, and then states per
// axis, whose errors stay with the op (docs/adr/0003-states-are-inferred-by-the-builder.md; docs/spec/states.md, "State
// errors"). So a Program never holds a type that does not follow from its ops, and no second checker is needed. Which
// values are exactly zero is followed here, through ops that keep zero, because zeros may meet P. Loops are typed in
// builder_scan.cc, updates in builder_update.cc. Constant time per op, but for a scan's body, which is typed until its
// carries stay.
#include "core/ir/builder/builder.h"

#include <algorithm>
#include <utility>

#include "core/ir/builder/coverage.h"
#include "core/ir/vjp_signature.h"
#include "core/support/check.h"
#include "core/support/quoted.h"

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

/// `x`, `x.3`: words of letters, digits and `_`, joined by dots.
bool is_name(const std::string& name) {
  bool in_word = false;
  for (const char c : name) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!word && (c != '.' || !in_word)) return false;
    in_word = word;
  }
  return in_word;
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
    : module_(module), sink_(sink) {
  program_.name_ = std::move(name);
  program_.mesh_ = std::move(mesh);
  program_.kind_ = options.kind;
  program_.typed_ = options.typed;
  program_.location_ = std::move(options.location);
}

std::string Builder::claim_name(const std::string& wanted, ValueId id, const Location& location) {
  Names& names = open_.back().names;
  if (wanted.empty()) {
    size_t number = id.index();
    while (names.count(std::to_string(number)) != 0) ++number;
    names[std::to_string(number)] = NameUse{id, true};
    return std::to_string(number);
  }
  const auto [it, is_new] = names.insert({wanted, NameUse{id, false}});
  if (!is_name(wanted)) {
    sink_.error("V-name", location,
                "the value name " + quoted(wanted) + " cannot be written; expected words of " +
                    "letters, digits and `_`, joined by dots");
    failed_ = true;
  } else if (!is_new && it->second.made_up) {
    const ValueId other = it->second.value;
    it->second = NameUse{id, false};
    program_.values_[other.index()].name = claim_name("", other, location);
  } else if (!is_new) {
    sink_.error("V-name", location, "the value name %" + wanted + " is taken; expected a new name")
        .note(program_.value(it->second.value).location, "it is first used here");
    failed_ = true;
  }
  return wanted;
}

ValueId Builder::new_value(ValueType type, OpId definition, std::string name, Location location, bool exact_zero) {
  const ValueId id(program_.values_.size());
  name = claim_name(name, id, location);
  program_.values_.push_back(Value{std::move(type), definition, std::move(name), std::move(location)});
  exact_zero_.push_back(exact_zero);
  region_.push_back(open_.back().id);
  return id;
}

ValueId Builder::argument(std::string name, ValueType type, Location location) {
  ISOSHARD_CHECK(program_.kind_ == ProgramKind::function, "only functions have arguments");
  const ValueId id = new_value(std::move(type), OpId(), std::move(name), std::move(location), false);
  program_.body_.arguments.push_back(id);
  return id;
}

bool Builder::check_structure(const OpData& data, const std::vector<ValueId>& operands, const Location& location) {
  ISOSHARD_CHECK(!std::holds_alternative<Scan>(data), "Builder::scan makes scans");
  const std::string op(op_name(data));
  if (captures(op, operands, location)) return false;
  const int expected = operand_count(data);
  if (expected >= 0 ? operands.size() != static_cast<size_t>(expected)
                    : operands.empty() && !std::holds_alternative<Call>(data)) {
    sink_.error("V-operands", location,
                op + ": has " + std::to_string(operands.size()) + " operands; expected " +
                    (expected < 0 ? "at least 1" : std::to_string(expected)));
    return false;
  }
  if (std::holds_alternative<PipelineRun>(data) &&
      (program_.kind_ != ProgramKind::program || !program_.typed_ || open_.size() > 1)) {
    sink_.error("V-pipeline", location,
                op + ": stands in " +
                    (open_.size() > 1   ? "a scan"
                     : !program_.typed_ ? "an untyped program"
                                        : "a func") +
                    "; expected the body of a typed program, whose ranks each run a stage");
    return false;
  }
  const Group* group = group_of(data);
  if (group != nullptr && (group->empty() || has_repeats(*group))) {
    sink_.error("V-group", location,
                op + ": `axis` is " + (group->empty() ? "missing" : "a tuple with a repeated axis") +
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
  const auto zero = [&](ValueId id) { return exact_zero_[id.index()]; };
  const ZerosStay zeros = op_facts(data).zeros;
  if (zeros == ZerosStay::of_all) return std::all_of(operands.begin(), operands.end(), zero);
  return zeros == ZerosStay::of_first && zero(operands[0]);
}

OperandState Builder::operand_state(ValueId id) const {
  const Value& value = program_.value(id);
  return OperandState{value.type.states, value.type.has_gradient, exact_zero_[id.index()], "%" + value.name};
}

bool Builder::captures(const std::string& op, const std::vector<ValueId>& operands, const Location& location) {
  for (const ValueId id : operands) {
    if (region_[id.index()] == open_.back().id) continue;
    const Value& value = program_.value(id);
    sink_
        .error(
            "V-capture", location,
            op + ": %" + value.name +
                " belongs to another body, and the body of a scan captures nothing; carry it, or stack it where each "
                "iteration reads its own slice")
        .note(value.location, "it is defined here");
    return true;
  }
  return false;
}

void Builder::add_to_region(OpId id) { (open_.size() == 1 ? program_.body_.ops : open_.back().ops).push_back(id); }

ValueType Builder::infer_state(const OpData& data, const std::vector<ValueId>& operands, TensorType type, Op& op,
                               size_t index) {
  StateContext context{mesh(), module_,     program_.typed_, std::string(op_name(data)),
                       {},     op.location, op.state_errors, States(mesh().axis_count(), State::unknown),
                       false,  index};
  const View* view = std::get_if<View>(&data);
  context.has_gradient = view != nullptr && module_.global(view->global).has_gradient();
  for (const ValueId id : operands) {
    context.operands.push_back(operand_state(id));
    context.has_gradient |= context.operands.back().has_gradient;
  }
  context.has_gradient &= is_float(type.dtype);
  isoshard::infer_states(data, context);
  if (!context.has_gradient) drop_gradient(context.result);
  return ValueType{std::move(type), std::move(context.result), context.has_gradient};
}

std::optional<std::vector<ValueType>> Builder::infer(const OpData& data, const std::vector<ValueId>& operands, Op& op) {
  std::vector<TensorType> tensors;
  for (const ValueId id : operands) tensors.push_back(type(id).tensor);
  const InferContext context(mesh(), module_, std::move(tensors), std::string(op_name(data)), op.location, sink_);
  Inferred inferred = infer_types(data, context);
  if (!inferred) return std::nullopt;
  std::vector<ValueType> result;
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
  std::vector<ValueId> invalid(std::max<size_t>(1, names.size()));
  const bool poisoned = std::any_of(operands.begin(), operands.end(), [](ValueId v) { return !v.valid(); });
  if (poisoned || !check_structure(data, operands, location)) {
    failed_ = true;
    return invalid;
  }
  Op op{data, operands, {}, {}, location, {}};
  const std::optional<std::vector<ValueType>> types = infer(data, operands, op);
  if (!types) {
    failed_ = true;
    return invalid;
  }
  if (!names.empty() && names.size() != types->size()) {
    sink_.error("V-results", location,
                std::string(op_name(data)) + ": has " + std::to_string(types->size()) + " results and " +
                    std::to_string(names.size()) + " names");
    failed_ = true;
    return invalid;
  }
  const OpId id(program_.ops_.size());
  const bool zero = is_exact_zero(data, operands);
  for (size_t i = 0; i < types->size(); ++i) {
    op.results.push_back(new_value((*types)[i], id, names.empty() ? "" : std::move(names[i]), location, zero));
  }
  program_.ops_.push_back(std::move(op));
  add_to_region(id);
  return program_.ops_.back().results;
}

ValueId Builder::add_op(OpData data, std::vector<ValueId> operands, std::string name, Location location) {
  return append(std::move(data), std::move(operands), {std::move(name)}, std::move(location)).front();
}

void Builder::check_return_states(const ReturnPart& part, const std::string& name, const std::string& statement) {
  const AxisSet splitting = splitting_axes(part.layout);
  const Value& value = program_.value(part.value);
  for (size_t i = 0; i < value.type.states.size(); ++i) {
    const State state = value.type.states[i];
    const bool split = splitting.contains(AxisId(i));
    const bool fits = state != State::partial && (split || state != State::varying || !program_.typed_);
    if (fits) continue;
    const std::string axis = mesh().axes()[i].name;
    const std::string why =
        state == State::partial
            ? "P: the devices hold terms of a sum; all_reduce it first"
            : "V: the devices hold different values and the layout does not split over it; all_gather it, or name the "
              "axis in the layout";
    program_.return_errors_.push_back(Diagnostic{Severity::error,
                                                 "S-return",
                                                 part.location,
                                                 statement + ": %" + value.name + " for @" + name + " is " +
                                                     letter(state) + " over `" + axis + "`" + why.substr(1),
                                                 {}});
  }
}

std::optional<TensorType> Builder::output_type(const std::string& name, ValueId value, const Layout& layout,
                                               const std::optional<TensorType>& declared, const Location& location) {
  const TensorType& local = type(value).tensor;
  const auto fail = [&](const char* rule, const std::string& message) {
    sink_.error(rule, location, "return @" + name + message);
    return std::nullopt;
  };
  const bool uneven =
      std::any_of(layout.begin(), layout.end(), [](const ViewEntry& e) { return e.split == Split::uneven; });
  if (uneven && !declared) {
    return fail("T-output",
                ": blocks with padding do not tell the size of the whole; write its type after the layout, "
                "as in `[uneven model] : f32[7]`");
  }
  int64_t blocks = 1;
  for (const ViewEntry& entry : layout) blocks *= std::min(block_count(entry, mesh()), mesh().device_count() + 1);
  if (blocks > mesh().device_count()) {
    return fail("C-coverage", " has more blocks than the " + std::to_string(mesh().device_count()) +
                                  " devices that write one each; expected layouts that tile it");
  }
  const TensorType tiled{local.dtype, global_shape(local.shape, layout, mesh())};
  if (!declared) return tiled;
  const bool same_rank = declared->shape.size() == tiled.shape.size();
  bool fits =
      declared->dtype == local.dtype && same_rank && block_shape(declared->shape, layout, mesh()) == local.shape;
  for (size_t d = 0; d < layout.size() && fits; ++d) {
    fits = layout[d].split == Split::uneven || declared->shape[d] == tiled.shape[d];
  }
  if (fits) return declared;
  return fail("T-output", " is written as " + isoshard::to_string(*declared) + "; the blocks " +
                              isoshard::to_string(local) + " laid out as " + isoshard::to_string(layout, mesh()) +
                              " make " + (uneven ? "at most " : "") + isoshard::to_string(tiled));
}

void Builder::output(std::string name, ValueId value, Layout layout, Location location,
                     std::optional<TensorType> declared) {
  ISOSHARD_CHECK(program_.kind_ == ProgramKind::program, "functions return values, not outputs");
  ISOSHARD_CHECK(open_.size() == 1, "an open scan");
  const bool known =
      std::any_of(program_.outputs_.begin(), program_.outputs_.end(), [&](const Output& o) { return o.name == name; });
  if (known) {
    sink_.error("V-output", location, "return: output @" + name + " is returned twice; expected one return per output");
  }
  if (known || !value.valid() ||
      !check_layout(layout, LayoutUse::output, type(value).tensor.shape.size(), mesh(), "return @" + name, location,
                    sink_)) {
    failed_ = true;
    return;
  }
  std::optional<TensorType> whole = output_type(name, value, layout, declared, location);
  if (!whole) {
    failed_ = true;
    return;
  }
  ReturnPart part{value, std::move(layout), std::move(location)};
  check_return_states(part, name, "return");
  program_.outputs_.push_back(Output{std::move(name), std::move(*whole), {std::move(part)}});
}

void Builder::results(std::vector<ValueId> values, Location location) {
  ISOSHARD_CHECK(program_.kind_ == ProgramKind::function, "programs return outputs");
  ISOSHARD_CHECK(open_.size() == 1, "an open scan");
  if (!program_.body_.results.empty()) {
    sink_.error("V-output", location, "return: the func returns twice; expected one return");
    failed_ = true;
  }
  for (const ValueId id : values) failed_ |= !id.valid();
  program_.body_.results = std::move(values);
}

bool Builder::check_coverage() {
  bool good = check_views(program_, module_, sink_);
  for (const Output& output : program_.outputs_) {
    good = check_parts(output.parts, output.type.shape, mesh(), "@" + output.name, sink_) && good;
  }
  return good;
}

std::optional<ProgramId> Builder::finish() {
  const bool is_function = program_.kind_ == ProgramKind::function;
  const bool empty =
      is_function ? program_.body_.results.empty() : program_.outputs_.empty() && program_.updates_.empty();
  if (empty && !failed_) {
    sink_.error("V-return", program_.location_,
                std::string(is_function ? "func @" : "program @") + program_.name_ + " returns nothing; expected " +
                    (is_function ? "`return %value`"
                                 : "`return @name = %value [layout]` or `update @global = %value [layout]`"));
    failed_ = true;
  }
  check_update_names();
  check_updates_cover();
  if (failed_ || !check_coverage()) return std::nullopt;
  module_.programs.push_back(std::move(program_));
  return ProgramId(module_.programs.size() - 1);
}

}  // namespace isoshard
