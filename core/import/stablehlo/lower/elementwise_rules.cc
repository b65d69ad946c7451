// Elementwise ops. Most are ops of the language under the same name; functions that it lacks are made of those that it
// has, with the same values over real numbers: log(1 + x), e^x - 1, -floor(-x), x x. Division and remainder of the
// position of a device by constants stay digits of it, for JAX prints an index over an axis so. Cost: constant for each
// op.
#include <utility>

#include "core/import/stablehlo/lower/attributes.h"
#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/rules.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

template <class Op>
std::vector<Wire> plain(Lowering& lowering, const Operation& op, Scope& scope) {
  return {lowering.emit(Op{}, lowering.values(op, scope), op)};
}

/// The positive whole number that a constant scalar is.
std::optional<int64_t> whole_scalar(const ConstantArray* array) {
  if (array == nullptr || !array->is_splat() || !array->elements[0].is_integer()) return std::nullopt;
  const double value = array->elements[0].to_double();
  if (!(value >= 1 && value < 0x1p31)) return std::nullopt;
  return static_cast<int64_t>(value);
}

std::vector<Wire> divide(Lowering& lowering, const Operation& op, Scope& scope) {
  const Wire& x = lowering.wire(op, 0, scope);
  const std::optional<int64_t> by = whole_scalar(lowering.constant(op, 1, scope));
  if (x.digit && by && !x.digit->modulus) {
    Wire quotient = x;
    quotient.digit->divisor *= *by;
    return {std::move(quotient)};
  }
  if (!is_float(x.type.dtype)) lowering.unsupported(op, "a division of integers, but of partition_id by a constant");
  return plain<Divide>(lowering, op, scope);
}

std::vector<Wire> remainder(Lowering& lowering, const Operation& op, Scope& scope) {
  const Wire& x = lowering.wire(op, 0, scope);
  const std::optional<int64_t> by = whole_scalar(lowering.constant(op, 1, scope));
  if (!x.digit || !by || x.digit->modulus) return plain<Remainder>(lowering, op, scope);
  Wire digit = x;
  digit.digit->modulus = *by;
  return {std::move(digit)};
}

/// The larger of x and -inf is x, as jax.nn.softmax prints it; the smaller of x and inf, too.
template <class Op>
std::vector<Wire> extreme(Lowering& lowering, const Operation& op, Scope& scope, bool of_maximum) {
  const Rational neutral = Rational::infinity(of_maximum);
  for (size_t i = 0; i < op.operands.size() && op.operands.size() == 2; ++i) {
    const ConstantArray* array = lowering.constant(op, i, scope);
    const bool is_neutral = array != nullptr && array->is_splat() && array->elements[0] == neutral;
    if (is_neutral) return {lowering.wire(op, 1 - i, scope)};
  }
  return plain<Op>(lowering, op, scope);
}

std::vector<Wire> maximum(Lowering& lowering, const Operation& op, Scope& scope) {
  return extreme<Maximum>(lowering, op, scope, true);
}

std::vector<Wire> minimum(Lowering& lowering, const Operation& op, Scope& scope) {
  return extreme<Minimum>(lowering, op, scope, false);
}

std::vector<Wire> convert(Lowering& lowering, const Operation& op, Scope& scope) {
  const Wire& x = lowering.wire(op, 0, scope);
  const TensorType& to = op.result_types.at(0);
  if (x.type == to) return {x};
  if (x.digit && !is_float(to.dtype)) {
    Wire digit = x;
    digit.type = to;
    return {std::move(digit)};
  }
  return {lowering.emit(Convert{to.dtype}, {lowering.value(op, 0, scope)}, op)};
}

std::vector<Wire> compare(Lowering& lowering, const Operation& op, Scope& scope) {
  static constexpr std::pair<std::string_view, Direction> kDirections[] = {
      {"EQ", Direction::eq}, {"NE", Direction::ne}, {"LT", Direction::lt},
      {"LE", Direction::le}, {"GT", Direction::gt}, {"GE", Direction::ge}};
  const std::string_view direction = op.enumerator("comparison_direction", 0);
  if (op.enumerator("compare_type", 1) == "TOTALORDER") {
    lowering.unsupported(op, "a comparison by TOTALORDER outside of a sort");
  }
  for (const auto& [name, meant] : kDirections) {
    if (name == direction) return {lowering.emit(Compare{meant}, lowering.values(op, scope), op)};
  }
  lowering.fail("M-attribute", op, "the comparison " + quoted(direction) + "; expected EQ, NE, LT, LE, GT or GE");
}

/// Where all integers that the choice hangs on make it the same, it is none.
std::vector<Wire> select(Lowering& lowering, const Operation& op, Scope& scope) {
  const MaybeBounds which = lowering.bounds(lowering.value(op, 0, scope));
  if (which && which->least == which->greatest) return {lowering.wire(op, which->least == 1 ? 1 : 2, scope)};
  return plain<Select>(lowering, op, scope);
}

/// 1, in the type of operand 0.
ValueId one(Lowering& lowering, const Operation& op, const Scope& scope) {
  return lowering.splat(Rational(1), lowering.wire(op, 0, scope).type, op);
}

std::vector<Wire> log_plus_one(Lowering& lowering, const Operation& op, Scope& scope) {
  const ValueId sum = lowering.append(Add{}, {lowering.value(op, 0, scope), one(lowering, op, scope)}, op);
  return {lowering.emit(Log{}, {sum}, op)};
}

std::vector<Wire> exponential_minus_one(Lowering& lowering, const Operation& op, Scope& scope) {
  const ValueId power = lowering.append(Exponential{}, {lowering.value(op, 0, scope)}, op);
  return {lowering.emit(Subtract{}, {power, one(lowering, op, scope)}, op)};
}

std::vector<Wire> ceil(Lowering& lowering, const Operation& op, Scope& scope) {
  const ValueId negated = lowering.append(Negate{}, {lowering.value(op, 0, scope)}, op);
  return {lowering.emit(Negate{}, {lowering.append(Floor{}, {negated}, op)}, op)};
}

std::vector<Wire> square(Lowering& lowering, const Operation& op, Scope& scope) {
  const ValueId x = lowering.value(op, 0, scope);
  return {lowering.emit(Multiply{}, {x, x}, op)};
}

/// x 2^n for a constant n.
std::vector<Wire> shift_left(Lowering& lowering, const Operation& op, Scope& scope) {
  const ConstantArray* by = lowering.constant(op, 1, scope);
  const TensorType& type = lowering.wire(op, 0, scope).type;
  const double bits = by != nullptr && by->is_splat() ? by->elements[0].to_double() : -1;
  const auto width = static_cast<double>(8 * info(type.dtype).bytes);
  if (!(bits >= 0 && bits < width)) {
    lowering.unsupported(op, "shift_left by what is no constant below the width of its numbers");
  }
  const bool sign =
      bits == width - 1 && (type.dtype == DType::i8 || type.dtype == DType::i32 || type.dtype == DType::i64);
  const double factor = static_cast<double>(uint64_t{1} << static_cast<unsigned>(bits));
  const ValueId power = lowering.splat(Rational::from_double(sign ? -factor : factor), type, op);
  return {lowering.emit(Multiply{}, {lowering.value(op, 0, scope), power}, op)};
}

/// What is the same for values: hints to the compiler.
std::vector<Wire> same(Lowering& lowering, const Operation& op, Scope& scope) {
  std::vector<Wire> wires;
  for (size_t i = 0; i < op.operands.size(); ++i) wires.push_back(lowering.wire(op, i, scope));
  return wires;
}

}  // namespace

std::span<const NamedRule> elementwise_rules() {
  static constexpr NamedRule kRules[] = {
      {"stablehlo.add", plain<Add>},
      {"stablehlo.subtract", plain<Subtract>},
      {"stablehlo.multiply", plain<Multiply>},
      {"stablehlo.divide", divide},
      {"stablehlo.remainder", remainder},
      {"stablehlo.power", plain<Power>},
      {"stablehlo.maximum", maximum},
      {"stablehlo.minimum", minimum},
      {"stablehlo.negate", plain<Negate>},
      {"stablehlo.abs", plain<Abs>},
      {"stablehlo.sign", plain<Sign>},
      {"stablehlo.exponential", plain<Exponential>},
      {"stablehlo.exponential_minus_one", exponential_minus_one},
      {"stablehlo.log", plain<Log>},
      {"stablehlo.log_plus_one", log_plus_one},
      {"stablehlo.logistic", plain<Logistic>},
      {"stablehlo.tanh", plain<Tanh>},
      {"stablehlo.sqrt", plain<Sqrt>},
      {"stablehlo.rsqrt", plain<Rsqrt>},
      {"stablehlo.sine", plain<Sine>},
      {"stablehlo.cosine", plain<Cosine>},
      {"stablehlo.floor", plain<Floor>},
      {"stablehlo.ceil", ceil},
      {"stablehlo.is_finite", plain<IsFinite>},
      {"stablehlo.and", plain<And>},
      {"stablehlo.or", plain<Or>},
      {"stablehlo.xor", plain<Xor>},
      {"stablehlo.not", plain<Not>},
      {"stablehlo.shift_right_logical", plain<ShiftRightLogical>},
      {"stablehlo.shift_left", shift_left},
      {"stablehlo.compare", compare},
      {"stablehlo.select", select},
      {"stablehlo.clamp", plain<Clamp>},
      {"stablehlo.convert", convert},
      {"stablehlo.optimization_barrier", same},
      {"sdy.sharding_constraint", same},
      {"chlo.square", square},
      {"chlo.erf_inv", plain<ErfInv>},
  };
  return kRules;
}

}  // namespace isoshard::stablehlo
