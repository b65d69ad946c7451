// From the text of a program to a Program of the language: each op of the text is appended by its rule, calls are put
// where they stand, and what is constant becomes a value only where it is used, in the region that uses it, since
// regions of the language capture nothing. A whole array outside of manual computations is what each device has of it:
// blocks that come from a manual computation stay blocks until something reads them whole, and then they are gathered.
// Cost: linear in the ops, with calls written out.
#include "core/import/stablehlo/lower/lowering.h"

#include <algorithm>
#include <utility>

#include "core/import/stablehlo/analysis/fold.h"
#include "core/import/stablehlo/analysis/groups.h"
#include "core/import/stablehlo/lower/rules.h"
#include "core/import/stablehlo/lower/word_of.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {

Lowering::Lowering(const ModuleText& text, Builder& builder, std::vector<GlobalId> globals, DiagnosticSink& sink)
    : text_(text), places_(text), builder_(builder), globals_(std::move(globals)), sink_(sink) {}

AxisId Lowering::axis(const Operation& op, std::string_view written) const {
  const std::optional<AxisId> axis = mesh().find(word_of(written));
  if (!axis) fail("M-mesh", op, "the axis " + quoted(written) + ", which the mesh does not have");
  return *axis;
}

/// What has no line of its own, as the ops of jnp.where, has that of the call that it is in.
Location Lowering::location(const Operation& op) const {
  std::vector<const Attribute*> locations{&op.location};
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) locations.push_back(&(*call)->location);
  return places_.of(locations, text_.location(op.span));
}

void Lowering::fail(std::string_view rule, const Operation& op, std::string message) const {
  sink_.error(std::string(rule), location(op), std::move(message));
  throw NotLowered{};
}

void Lowering::unsupported(const Operation& op, const std::string& what) const {
  fail("M-unsupported", op, "not supported: " + what);
}

void Lowering::left_out(const Operation& op, const std::string& what) {
  const Location where = location(op);
  const auto is_said = [&](const Diagnostic& said) {
    return said.message == what && said.location.to_string() == where.to_string();
  };
  const std::vector<Diagnostic>& all = sink_.diagnostics();
  if (std::none_of(all.begin(), all.end(), is_said)) sink_.warning("W-left-out", where, what);
}

std::vector<Wire> Lowering::body(const Region& region, Scope& scope) {
  const Region* const around = std::exchange(region_, &region);
  std::vector<Wire> results;
  for (const Operation& op : region.operations) {
    if (op.returns()) {
      for (size_t i = 0; i < op.operands.size(); ++i) results.push_back(wire(op, i, scope));
    } else {
      operation(op, scope);
    }
  }
  region_ = around;
  return results;
}

void Lowering::operation(const Operation& op, Scope& scope) {
  const Rule rule = find_rule(op.name);
  if (rule == nullptr) unsupported(op, "the op " + quoted(op.name));
  const bool may_have_none = op.name == "func.call" || op.name == "stablehlo.custom_call";
  if (op.result_count == 0 && !may_have_none) {
    fail("M-type", op,
         quoted(op.name) + " without a result; expected one, as in %0 = " + std::string(op.name) + " ...");
  }
  std::vector<const ConstantArray*> constants;
  for (size_t i = 0; i < op.operands.size(); ++i) constants.push_back(constant(op, i, scope));
  std::optional<ConstantArray> known = folded(op, constants);
  std::vector<Wire> results =
      known ? std::vector{Wire{known->type, {}, std::make_shared<const ConstantArray>(std::move(*known))}}
            : rule(*this, op, scope);
  for (size_t i = 0; i < results.size() && i < op.result_types.size(); ++i) {
    if (results[i].type == op.result_types[i]) continue;
    fail("M-type", op,
         quoted(op.name) + " gives " + to_string(results[i].type) + " and is written with " +
             to_string(op.result_types[i]) + "; expected the type of its operands and attributes");
  }
  if (results.size() != op.result_count) {
    fail("M-type", op,
         quoted(op.name) + " has " + std::to_string(results.size()) + " results and is written with " +
             std::to_string(op.result_count));
  }
  if (op.further_results.empty()) {
    scope.define(op.result, std::move(results));
    return;
  }
  scope.define(op.result, {results[0]});
  for (size_t i = 0; i < op.further_results.size(); ++i) scope.define(op.further_results[i], {results[i + 1]});
}

std::vector<Wire> Lowering::call(const Function& function, std::vector<Wire> arguments, const Operation& op) {
  constexpr size_t kMostCalls = 100;
  if (calls_.size() >= kMostCalls)
    fail("M-call", op, "calls are nested more than 100 deep; is @" + std::string(function.name) + " recursive?");
  const std::vector<BlockArgument>& parameters = function.body.arguments;
  if (parameters.size() != arguments.size()) {
    fail("M-call", op,
         "@" + std::string(function.name) + " takes " + std::to_string(parameters.size()) + " arguments and is given " +
             std::to_string(arguments.size()));
  }
  Scope scope;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].type != parameters[i].type) {
      fail("M-type", op,
           "argument " + std::to_string(i) + " of @" + std::string(function.name) + " is " +
               to_string(parameters[i].type) + " and is given " + to_string(arguments[i].type));
    }
    scope.define(parameters[i].name, {std::move(arguments[i])});
  }
  calls_.push_back(&op);
  std::vector<Wire> results = body(function.body, scope);
  calls_.pop_back();
  return results;
}

const Wire& Lowering::wire(const Operation& op, size_t i, const Scope& scope) const {
  if (i >= op.operands.size()) {
    fail("M-operands", op, quoted(op.name) + " has " + std::to_string(op.operands.size()) + " operands; expected more");
  }
  const ValueUse& use = op.operands[i];
  const Wire* found = scope.find(use.name, use.index);
  if (found != nullptr) return *found;
  sink_.error("M-value", text_.location(use.span),
              "nothing before defines %" + std::string(use.name) +
                  (use.index > 0 ? "#" + std::to_string(use.index) : "") + "; the text may be cut or mixed up");
  throw NotLowered{};
}

ValueId Lowering::value(const Operation& op, size_t i, const Scope& scope) { return value(wire(op, i, scope), op); }

std::vector<ValueId> Lowering::values(const Operation& op, const Scope& scope) {
  std::vector<ValueId> result;
  for (size_t i = 0; i < op.operands.size(); ++i) result.push_back(value(op, i, scope));
  return result;
}

const ConstantArray* Lowering::constant(const Operation& op, size_t i, const Scope& scope) const {
  return wire(op, i, scope).constant.get();
}

ValueId Lowering::value(const Wire& wire, const Operation& op) {
  if (wire.constant) {
    made_.back().kept.push_back(wire.constant);  // so that its address is of no other
    return materialise(*wire.constant, op);
  }
  if (wire.digit) return materialise(*wire.digit, wire.type.dtype, op);
  if (wire.bits) unsupported(op, "the bits of floats as integers, but without their last ones and as floats again");
  if (wire.argument) return view(*wire.argument, Layout(wire.type.shape.size()), op);
  return splitting_axes(wire.layout).empty() ? wire.id : gather_blocks(wire, op);
}

Wire Lowering::block(const Wire& wire, const Layout& layout, const TensorType& type, const Operation& op) {
  if (splitting_axes(layout).empty() || layout == wire.layout) {
    if (wire.argument) return Wire{type, value(wire, op)};
    Wire same = wire;
    same.type = type;
    same.layout.clear();
    return splitting_axes(wire.layout).empty() || layout == wire.layout ? same : Wire{type, value(wire, op)};
  }
  if (wire.argument) return Wire{type, view(*wire.argument, layout, op)};
  if (wire.constant && wire.constant->is_splat()) {
    return Wire{type, {}, std::make_shared<const ConstantArray>(ConstantArray{type, wire.constant->elements})};
  }
  ValueId part = value(wire, op);
  for (size_t d = 0; d < layout.size(); ++d) {
    if (!layout[d].whole()) part = append(SliceBlock{layout[d].axes, static_cast<int64_t>(d)}, {part}, op);
  }
  return Wire{type, part};
}

Wire Lowering::emit(OpData data, std::vector<ValueId> operands, const Operation& like) {
  const ValueId id = append(std::move(data), std::move(operands), like);
  return Wire{builder_.type(id).tensor, id};
}

ValueId Lowering::append(OpData data, std::vector<ValueId> operands, const Operation& where) {
  return append_at(std::move(data), std::move(operands), location(where));
}

ValueId Lowering::append_at(OpData data, std::vector<ValueId> operands, const Location& where) {
  std::vector<MaybeBounds> known;
  for (const ValueId operand : operands) known.push_back(bounds(operand));
  const OpData op = data;
  const std::vector<ValueId> read = operands;
  const ValueId id = builder_.add_op(std::move(data), std::move(operands), "", where);
  if (!id.valid()) throw NotLowered{};
  forget({id});
  const TensorType& type = builder_.type(id).tensor;
  MaybeBounds guarded = ranges_.of_select(op, read, known);
  if (!guarded) guarded = guards_.of_select(op, read, known);
  set_bounds(id, guarded ? guarded : bounds_of(op, known, type));
  ranges_.take(op, read, known, id);
  if (!is_float(type.dtype)) {
    guards_.take(op, read, known, id, read.empty() ? type.dtype : builder_.type(read[0]).tensor.dtype);
  }
  std::vector<Beyond> beside;
  for (const ValueId operand : read) beside.push_back(beyond(operand));
  set_beyond(id, beyond_of(op, beside, type));
  return id;
}

void Lowering::set_beyond(ValueId value, const Beyond& beyond) {
  if (beyond_.size() <= value.index()) beyond_.resize(value.index() + 1);
  beyond_[value.index()] = beyond;
}

const Op* Lowering::made_by(ValueId value) const {
  const OpId maker = builder_.program().value(value).definition;
  return maker.valid() ? &builder_.program().op(maker) : nullptr;
}

std::vector<Wire> Lowering::append_two(OpData data, ValueId operand, const Operation& where) {
  const MaybeBounds indices = bounds_of_indices(data, builder_.type(operand).tensor.shape);
  const std::vector<ValueId> both = builder_.append(std::move(data), {operand}, {"", ""}, location(where));
  std::vector<Wire> results;
  for (const ValueId id : both) {
    if (!id.valid()) throw NotLowered{};
    forget({id});
    results.push_back(Wire{builder_.type(id).tensor, id});
  }
  set_bounds(both[1], indices);
  return results;
}

void Lowering::forget(const std::vector<ValueId>& values) {
  for (const ValueId value : values) {
    if (!value.valid()) continue;
    set_bounds(value, std::nullopt);
    set_beyond(value, Beyond());
    ranges_.forget(value);
    guards_.forget(value);
  }
}

MaybeBounds Lowering::bounds(ValueId value) const {
  return value.index() < bounds_.size() ? bounds_[value.index()] : std::nullopt;
}

void Lowering::set_bounds(ValueId value, const MaybeBounds& bounds) {
  if (bounds_.size() <= value.index()) bounds_.resize(value.index() + 1);
  bounds_[value.index()] = bounds;
}

ValueId Lowering::splat(const Rational& value, const TensorType& type, const Operation& where) {
  return append(Constant{value, type.dtype, type.shape}, {}, where);
}

ValueId Lowering::view(size_t argument, const Layout& layout, const Operation& op) {
  for (const auto& [key, id] : made_.back().views) {
    if (key.first == argument && key.second == layout) return id;
  }
  View view{globals_[argument], layout, {}};
  view.coverage.times = 0;
  const ValueId id = append(std::move(view), {}, op);
  const std::optional<ValueRange>& range = builder_.module().global(globals_[argument]).range;
  if (range) set_bounds(id, KnownRanges::ends_of(*range));
  if (range && !range->others.empty()) ranges_.set(id, *range);
  made_.back().views.push_back({{argument, layout}, id});
  return id;
}

ValueId Lowering::gather_blocks(const Wire& wire, const Operation& op) {
  ValueId whole = wire.id;
  for (size_t d = 0; d < wire.layout.size(); ++d) {
    if (wire.layout[d].whole()) continue;
    whole = append(AllGather{wire.layout[d].axes, static_cast<int64_t>(d), std::nullopt}, {whole}, op);
  }
  return whole;
}

ValueId Lowering::materialise(const ConstantArray& array, const Operation& op) {
  const auto known = made_.back().constants.find(&array);
  if (known != made_.back().constants.end()) return known->second;
  ValueId id;
  if (array.is_splat()) {
    id = splat(array.elements[0], array.type, op);
  } else {
    constexpr size_t kMostPieces = 4096;
    std::vector<ValueId> pieces;  // a run of equal elements each
    for (size_t at = 0; at < array.elements.size();) {
      size_t end = at;
      while (end < array.elements.size() && array.elements[end] == array.elements[at]) ++end;
      pieces.push_back(splat(array.elements[at], {array.type.dtype, {static_cast<int64_t>(end - at)}}, op));
      if (pieces.size() > kMostPieces) {
        unsupported(op, "a constant " + to_string(array.type) +
                            " of more than 4096 runs of equal elements; pass it as "
                            "an argument of the function");
      }
      at = end;
    }
    id = append(Concatenate{0}, std::move(pieces), op);
    if (array.type.shape.size() != 1) id = append(Reshape{array.type.shape}, {id}, op);
  }
  made_.back().constants.emplace(&array, id);
  return id;
}

ValueId Lowering::materialise(const PositionDigit& digit, DType dtype, const Operation& op) {
  const std::optional<Group> group = group_of_digit(digit, mesh());
  if (!group) {
    unsupported(op, "an index that is (partition_id / " + std::to_string(digit.divisor) + ") mod " +
                        (digit.modulus ? std::to_string(*digit.modulus) : "nothing") +
                        ", which no axes of the mesh have");
  }
  if (group->empty()) return splat(Rational(0), {dtype, {}}, op);
  const ValueId index = append(AxisIndex{*group}, {}, op);
  set_bounds(index, Bounds{0, mesh().size(*group) - 1});
  return dtype == DType::i32 ? index : append(Convert{dtype}, {index}, op);
}

}  // namespace isoshard::stablehlo
