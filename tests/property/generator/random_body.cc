#include "tests/property/generator/random_body.h"

#include <algorithm>
#include <utility>

#include "core/support/check.h"
#include "core/value/integers.h"

namespace isoshard::testing {

BodyGrower::BodyGrower(Module& module, Dice& dice, const RandomProgramOptions& options,
                       std::shared_ptr<const Mesh> mesh, const std::string& name, ProgramKind kind)
    : module_(module),
      dice_(dice),
      options_(options),
      mesh_(std::move(mesh)),
      kind_(kind),
      builder_(module, name, mesh_, sink_, BuilderOptions{kind, options.typed, Location::here()}) {}

void BodyGrower::grow(size_t ops) {
  if (kind_ == ProgramKind::program) views();
  for (size_t tries = 0, made = 0; made < ops && tries < 20 * ops; ++tries) made += step() ? 1U : 0U;
}

ProgramId BodyGrower::finish() {
  if (kind_ == ProgramKind::function) {
    builder_.results(dice_.some(recent()));
  } else {
    returns();
  }
  ISOSHARD_CHECK(builder_.program().state_errors().empty(), "a random program has a state error");
  const std::optional<ProgramId> id = builder_.finish();
  ISOSHARD_CHECK(id.has_value(), sink_.diagnostics().empty() ? "" : sink_.diagnostics()[0].message.c_str());
  return *id;
}

/// The last values, so that results depend on much of the program.
std::vector<ValueId> BodyGrower::recent() const {
  return std::vector<ValueId>(values_.end() - std::min<std::ptrdiff_t>(4, std::ssize(values_)), values_.end());
}

std::string BodyGrower::fresh_name() {
  if (dice_.chance(40)) return "";
  const std::string number = std::to_string(++names_);
  return (dice_.chance(50) ? "v" : "w.") + number;
}

std::vector<AxisId> BodyGrower::axes() const {
  std::vector<AxisId> result;
  for (size_t i = 0; i < mesh_->axis_count(); ++i) result.push_back(AxisId(i));
  return result;
}

/// A tuple of axes on which `value` is in one of `states` (all axes in untyped programs); may be empty.
Group BodyGrower::group_where(ValueId value, std::initializer_list<State> states) {
  std::vector<AxisId> fitting;
  for (const AxisId axis : axes()) {
    const bool listed = std::find(states.begin(), states.end(), type(value).states[axis.index()]) != states.end();
    if (listed || !options_.typed) fitting.push_back(axis);
  }
  return fitting.empty() ? Group() : Group{dice_.some(std::move(fitting))};
}

/// A value of the same dtype and shape as `value`.
ValueId BodyGrower::partner(ValueId value) {
  std::vector<ValueId> fitting;
  for (const ValueId other : values_) {
    if (type(other).tensor == type(value).tensor) fitting.push_back(other);
  }
  return dice_.pick(fitting);
}

std::optional<State> BodyGrower::reduced_state(ValueId value) {
  if (!options_.typed || !type(value).has_gradient) return std::nullopt;
  return dice_.chance(50) ? State::replicated : State::invariant;
}

Rational BodyGrower::number(DType dtype) {
  if (dtype == DType::pred) return Rational(dice_.in(0, 1));
  const bool wraps_soon = is_integer(dtype) && info(dtype).bytes == 1;
  if (wraps_soon && dice_.chance(30)) return dice_.chance(50) ? least_integer(dtype) : greatest_integer(dtype);
  if (is_unsigned(dtype)) return Rational(dice_.in(0, 5));
  if (is_integer(dtype) || dice_.chance(50)) return Rational(dice_.in(-3, 3));
  const int64_t numerator = dice_.in(-40, 40);  // arguments of a call would be drawn in any order
  return Rational(numerator, dice_.in(1, 12));
}

bool BodyGrower::step() {
  const int kind = static_cast<int>(dice_.in(0, 99));
  if (!padded_.empty() && dice_.chance(20)) change_padded();
  if (kind < 8) return leaf();
  if (kind < 20) return unary();
  if (kind < 38) return binary();
  if (kind < 47) return reshaping();
  if (kind < 56) return movement();
  if (kind < 68) return contraction();
  if (kind < 73 && options_.scans) return scan();
  if (kind < 78 && options_.integers) return random_numbers();
  if (kind < 94 || !options_.functions || kind_ == ProgramKind::function) return communication();
  return call();
}

/// Whether the inferences accept the op without an error and its results are small.
bool BodyGrower::accepts(const OpData& data, const std::vector<ValueId>& operands) {
  DiagnosticSink sink;
  std::vector<TensorType> tensors;
  for (const ValueId id : operands) tensors.push_back(type(id).tensor);
  const std::string op(op_name(data));
  const Inferred types = infer_types(data, InferContext(*mesh_, module_, pointers_to(tensors), op, Location(), sink));
  if (!types || element_count(types->front().shape) > options_.max_elements) return false;
  const DType made = types->front().dtype;
  if (options_.doubles && is_float(made) && made != DType::f64) return false;
  std::vector<Diagnostic> errors;
  StateContext context{*mesh_, module_, options_.typed, op, {}, Location(), errors, States(mesh_->axis_count()), false};
  const View* view = std::get_if<View>(&data);
  context.has_gradient = view != nullptr && module_.global(view->global).has_gradient();
  for (const ValueId id : operands) {
    context.operands.push_back(OperandState{type(id).states, type(id).has_gradient, false, "%x"});
    context.has_gradient |= type(id).has_gradient;
  }
  context.has_gradient &= is_float(types->front().dtype);
  infer_states(data, context);
  return errors.empty();
}

bool BodyGrower::try_op(OpData data, std::vector<ValueId> operands) {
  if (!accepts(data, operands)) return false;
  for (const ValueId value : builder_.append(std::move(data), std::move(operands), {})) {
    ISOSHARD_CHECK(value.valid(), "the Builder rejects an op that the inferences accept");
    values_.push_back(value);
  }
  return true;
}

/// An op with one result that is right by construction.
ValueId BodyGrower::must(OpData data, std::vector<ValueId> operands) {
  const ValueId value = builder_.add_op(std::move(data), std::move(operands), fresh_name());
  ISOSHARD_CHECK(value.valid(), sink_.diagnostics().empty() ? "" : sink_.diagnostics()[0].message.c_str());
  return value;
}

}  // namespace isoshard::testing
