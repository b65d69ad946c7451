// Elementwise ops. Most are ops of the language under the same name. A shift by a constant is a product, of which more
// is known, and floats that are made of bits under a fixed exponent, as JAX makes uniform random numbers, are a sum.
// Division and remainder of the position of a device by constants stay digits of it, for JAX prints an index over an
// axis so. Cost: constant for each op.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/import/stablehlo/idioms/short_floats.h"
#include "core/import/stablehlo/idioms/total_order.h"
#include "core/import/stablehlo/lower/attributes.h"
#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/rules.h"
#include "core/support/quoted.h"
#include "core/value/integers.h"

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
  if (x.digit && by && !x.digit->modulus && x.digit->divisor < int64_t{1} << 31) {
    Wire quotient = x;
    quotient.digit->divisor *= *by;
    return {std::move(quotient)};
  }
  if (is_float(x.type.dtype)) return plain<Divide>(lowering, op, scope);
  return plain<IntegerDivide>(lowering, op, scope);
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

bool is_predicate(Lowering& lowering, const Operation& op, const Scope& scope) {
  return lowering.wire(op, 0, scope).type.dtype == DType::pred;
}

std::vector<Wire> maximum(Lowering& lowering, const Operation& op, Scope& scope) {
  if (is_predicate(lowering, op, scope)) return plain<Or>(lowering, op, scope);
  return extreme<Maximum>(lowering, op, scope, true);
}

std::vector<Wire> minimum(Lowering& lowering, const Operation& op, Scope& scope) {
  if (is_predicate(lowering, op, scope)) return plain<And>(lowering, op, scope);
  return extreme<Minimum>(lowering, op, scope, false);
}

std::vector<Wire> convert(Lowering& lowering, const Operation& op, Scope& scope) {
  const Wire& x = lowering.wire(op, 0, scope);
  const TensorType& to = op.result_types.at(0);
  if (x.type == to) return {x};
  const auto holds_all = [&](DType dtype) {  // positions as they are
    return is_integer(dtype) && is_integer_of(dtype, Rational(lowering.mesh().device_count() - 1));
  };
  if (x.digit && holds_all(x.type.dtype) && holds_all(to.dtype)) {
    Wire digit = x;
    digit.type = to;
    return {std::move(digit)};
  }
  return {lowering.emit(Convert{to.dtype}, {lowering.value(op, 0, scope)}, op)};
}

/// How x, of which so much is known, compares with a number that is no more than it is; nothing where x may be any.
std::optional<bool> compared_with(const Beyond& x, Direction direction, const Rational& number) {
  const bool equal = direction == Direction::eq, unequal = direction == Direction::ne;
  const bool infinite = !number.finite() && !number.is_nan();
  if (infinite && (equal || unequal) && !(number.negative() ? x.below : x.above)) return unequal;
  const bool above = x.positive && x.none() && number.finite() && (number.negative() || number.is_zero());
  if (!above || direction == Direction::none) return std::nullopt;
  return unequal || direction == Direction::gt || direction == Direction::ge;
}

/// What is known of a comparison of floats: of a number with itself, with an infinity that it is not, or of a positive
/// number with none.
std::optional<Wire> known_of_number(Lowering& lowering, const Operation& op, Scope& scope, Direction direction) {
  if (op.operands.size() != 2 || !is_float(lowering.wire(op, 0, scope).type.dtype)) return std::nullopt;
  const ValueId x = lowering.value(op, 0, scope);
  const Wire& y = lowering.wire(op, 1, scope);
  const bool equality = direction == Direction::eq || direction == Direction::ne;
  std::optional<bool> holds;
  if (y.constant && y.constant->is_splat()) {
    holds = compared_with(lowering.beyond(x), direction, y.constant->elements[0]);
  } else if (equality && !y.constant && lowering.value(y, op) == x && !lowering.beyond(x).nan) {
    holds = direction == Direction::eq;
  }
  if (!holds) return std::nullopt;
  const TensorType type{DType::pred, op.result_types.at(0).shape};
  return Wire{type, {}, std::make_shared<const ConstantArray>(ConstantArray{type, {Rational(*holds ? 1 : 0)}})};
}

/// `abs(x) == inf`, as JAX writes `isinf(x)`, asks for no inf, which no ring has: x is no number, but equals itself.
std::optional<Wire> asks_infinite(Lowering& lowering, const Operation& op, Scope& scope, Direction direction) {
  const ConstantArray* bound = lowering.constant(op, 1, scope);
  const bool infinite = bound != nullptr && bound->is_splat() && bound->elements[0] == Rational::infinity(false);
  if (!infinite || direction != Direction::eq) return std::nullopt;
  const Op* made = lowering.made_by(lowering.value(op, 0, scope));
  if (made == nullptr || !std::holds_alternative<Abs>(made->data)) return std::nullopt;
  const ValueId x = made->operands[0];
  const ValueId no_number = lowering.append(Not{}, {lowering.append(IsFinite{}, {x}, op)}, op);
  return lowering.emit(And{}, {no_number, lowering.append(Compare{Direction::eq}, {x, x}, op)}, op);
}

std::vector<Wire> compare(Lowering& lowering, const Operation& op, Scope& scope) {
  static constexpr std::pair<std::string_view, Direction> kDirections[] = {
      {"EQ", Direction::eq}, {"NE", Direction::ne}, {"LT", Direction::lt},
      {"LE", Direction::le}, {"GT", Direction::gt}, {"GE", Direction::ge}};
  const std::string_view direction = op.enumerator("comparison_direction", 0);
  for (const auto& [name, meant] : kDirections) {
    if (name != direction) continue;
    if (op.enumerator("compare_type", 1) == "TOTALORDER") return total_order(lowering, op, scope, meant);
    if (std::optional<Wire> known = known_of_number(lowering, op, scope, meant)) return {std::move(*known)};
    if (std::optional<Wire> infinite = asks_infinite(lowering, op, scope, meant)) return {std::move(*infinite)};
    return {lowering.emit(Compare{meant}, lowering.values(op, scope), op)};
  }
  lowering.fail("M-attribute", op, "the comparison " + quoted(direction) + "; expected EQ, NE, LT, LE, GT or GE");
}

/// Where all integers that the choice hangs on make it the same, it is none.
std::vector<Wire> select(Lowering& lowering, const Operation& op, Scope& scope) {
  const MaybeBounds which = lowering.bounds(lowering.value(op, 0, scope));
  if (which && which->least == which->greatest) return {lowering.wire(op, which->least == 1 ? 1 : 2, scope)};
  if (std::optional<Wire> same = without_signs(lowering, op, scope)) return {std::move(*same)};
  return plain<Select>(lowering, op, scope);
}

bool is_positive(Lowering& lowering, const Operation& op, Scope& scope) {
  const Beyond beyond = lowering.beyond(lowering.value(op, 0, scope));
  return beyond.positive && beyond.none();
}

/// Of positive numbers it is 1, as of the sum in jax.nn.logsumexp.
std::vector<Wire> sign(Lowering& lowering, const Operation& op, Scope& scope) {
  const TensorType type = lowering.wire(op, 0, scope).type;
  if (!is_positive(lowering, op, scope)) return plain<Sign>(lowering, op, scope);
  return {Wire{type, {}, std::make_shared<const ConstantArray>(ConstantArray{type, {Rational(1)}})}};
}

std::vector<Wire> absolute(Lowering& lowering, const Operation& op, Scope& scope) {
  if (is_positive(lowering, op, scope)) return {lowering.wire(op, 0, scope)};
  return plain<Abs>(lowering, op, scope);
}

/// A float with fewer digits: exact as all roundings are, in a dtype that has so many.
std::vector<Wire> reduce_precision(Lowering& lowering, const Operation& op, Scope& scope) {
  const Attribute* format = op.find("format");
  std::string digits(format == nullptr ? std::string_view() : format->text);
  if (digits.empty() && op.find("exponent_bits") != nullptr) {
    digits = "e" + std::to_string(integer(lowering, op, "exponent_bits")) + "m" +
             std::to_string(integer(lowering, op, "mantissa_bits"));
  }
  static constexpr std::pair<std::string_view, DType> kFormats[] = {
      {"e8m7", DType::bf16}, {"e5m10", DType::f16}, {"e8m23", DType::f32}, {"e11m52", DType::f64}};
  const Wire& x = lowering.wire(op, 0, scope);
  for (const auto& [name, dtype] : kFormats) {
    if (name != digits || info(dtype).bytes > info(x.type.dtype).bytes) continue;
    if (dtype == x.type.dtype) return {x};
    const ValueId fewer = lowering.append(Convert{dtype}, {lowering.value(x, op)}, op);
    return {lowering.emit(Convert{x.type.dtype}, {fewer}, op)};
  }
  lowering.unsupported(op,
                       "reduce_precision to " + quoted(digits) + ", which is none of e8m7, e5m10, e8m23 and e11m52");
}

/// Bits of floats of which a constant keeps all but some of the last of the fraction; nothing for other operands.
std::optional<Wire> shortened(const Lowering& lowering, const Operation& op, const Scope& scope) {
  for (size_t i = 0; i < op.operands.size() && op.operands.size() == 2; ++i) {
    Wire x = lowering.wire(op, i, scope);
    const ConstantArray* mask = lowering.constant(op, 1 - i, scope);
    if (!x.bits || mask == nullptr || !mask->is_splat()) continue;
    const double dropped = 0x1p32 - mask->elements[0].to_double();  // of u32: a power of two, and less than 2^17
    if (!(dropped >= 1 && dropped <= 0x1p16) || std::exp2(std::floor(std::log2(dropped))) != dropped) continue;
    x.bits->shortened = true;
    return x;
  }
  return std::nullopt;
}

/// `and`, one operand of which always holds.
std::vector<Wire> both(Lowering& lowering, const Operation& op, Scope& scope) {
  if (std::optional<Wire> bits = shortened(lowering, op, scope)) return {std::move(*bits)};
  for (size_t i = 0; i < op.operands.size() && op.operands.size() == 2; ++i) {
    const Wire& x = lowering.wire(op, i, scope);
    const MaybeBounds bounds =
        x.type.dtype == DType::pred ? lowering.bounds(lowering.value(x, op)) : MaybeBounds(std::nullopt);
    if (bounds && bounds->least == 1) return {lowering.wire(op, 1 - i, scope)};
  }
  return plain<And>(lowering, op, scope);
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
  if (!(bits >= 0 && bits < width)) return plain<ShiftLeft>(lowering, op, scope);
  const bool sign =
      bits == width - 1 && (type.dtype == DType::i8 || type.dtype == DType::i32 || type.dtype == DType::i64);
  const double factor = static_cast<double>(uint64_t{1} << static_cast<unsigned>(bits));
  const ValueId power = lowering.splat(Rational::from_double(sign ? -factor : factor), type, op);
  return {lowering.emit(Multiply{}, {lowering.value(op, 0, scope), power}, op)};
}

/// The dtype of floats of so many bits, with the bits of its fraction and the bias of its exponent.
struct FloatBits {
  DType bits, floats;
  int fraction, bias;
};
constexpr FloatBits kFloatBits[] = {{DType::u32, DType::f32, 23, 127}, {DType::u64, DType::f64, 52, 1023}};

const FloatBits* float_bits(DType bits) {
  const auto found = std::find_if(std::begin(kFloatBits), std::end(kFloatBits),
                                  [&](const FloatBits& known) { return known.bits == bits; });
  return found == std::end(kFloatBits) ? nullptr : found;
}

/// The exponent that the bits of a constant are as a float, where its fraction is 0 and its sign is plus.
std::optional<int> exponent_of(const ConstantArray* array, const FloatBits& format) {
  if (array == nullptr || !array->is_splat()) return std::nullopt;
  const double field = std::ldexp(array->elements[0].to_double(), -format.fraction);
  const bool normal = field >= 1 && field <= 2 * format.bias && field == std::floor(field);
  return normal ? std::optional(static_cast<int>(field) - format.bias) : std::nullopt;
}

/// Whether all elements are bits of a fraction.
bool is_fraction(Lowering& lowering, ValueId id, const FloatBits& format) {
  const MaybeBounds bounds = lowering.bounds(id);
  return bounds && bounds->least >= 0 && bounds->greatest < int64_t{1} << format.fraction;
}

/// With an exponent and a fraction apart, it knows what float it would be.
std::vector<Wire> either(Lowering& lowering, const Operation& op, Scope& scope) {
  std::vector<Wire> result = plain<Or>(lowering, op, scope);
  const FloatBits* format = float_bits(result[0].type.dtype);
  for (const size_t i : {0U, 1U}) {
    const std::optional<int> exponent =
        format != nullptr ? exponent_of(lowering.constant(op, i, scope), *format) : std::nullopt;
    if (!exponent) continue;
    const ValueId fraction = lowering.value(op, 1 - i, scope);
    if (is_fraction(lowering, fraction, *format)) result[0].scientific = Scientific{fraction, *exponent};
  }
  return result;
}

/// Floats that lose the last bits of their fraction, as the derivative of erfc has them to split a square, are written
/// in bf16, which keeps fewer bits. Integers of one width have the same bits modulo its range. Bits n of a
/// fraction under an exponent e are the float 2^e + n 2^(e - 23), exactly.
std::vector<Wire> bitcast_convert(Lowering& lowering, const Operation& op, Scope& scope) {
  const Wire& x = lowering.wire(op, 0, scope);
  const DType to = op.result_types.at(0).dtype;
  if (x.type.dtype == to) return {x};
  if (is_integer(x.type.dtype) && is_integer(to) && info(x.type.dtype).bytes == info(to).bytes) {
    return {lowering.emit(Convert{to}, {lowering.value(op, 0, scope)}, op)};
  }
  if (x.bits && x.bits->shortened && to == DType::f32) {
    if (!only_splits_a_square(lowering.region(), op)) {
      lowering.unsupported(
          op,
          "floats without their last bits but to split a square, x * x = t * t + (x - t) * (x + t), as "
          "the derivative of erfc does; lax.reduce_precision says which format is meant");
    }
    const ValueId fewer = lowering.append(Convert{DType::bf16}, {x.bits->floats}, op);
    return {lowering.emit(Convert{to}, {fewer}, op)};
  }
  if (x.type.dtype == DType::f32 && to == DType::u32) {
    Wire bits{op.result_types.at(0)};
    bits.bits = BitsOfFloats{lowering.value(op, 0, scope)};
    return {std::move(bits)};
  }
  const FloatBits* format = float_bits(x.type.dtype);
  if (!x.scientific || format == nullptr || format->floats != to) {
    lowering.unsupported(op,
                         "bitcast_convert but of integers to integers of one width, or of `fraction | exponent` to "
                         "floats, as JAX makes uniform random numbers");
  }
  const TensorType type{to, x.type.shape};
  const auto power = [&](int exponent) {
    return lowering.splat(Rational::from_double(std::ldexp(1.0, exponent)), type, op);
  };
  const ValueId whole = lowering.append(Convert{to}, {x.scientific->fraction}, op);
  const ValueId part = lowering.append(Multiply{}, {whole, power(x.scientific->exponent - format->fraction)}, op);
  return {lowering.emit(Add{}, {part, power(x.scientific->exponent)}, op)};
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
      {"stablehlo.abs", absolute},
      {"stablehlo.sign", sign},
      {"stablehlo.exponential", plain<Exponential>},
      {"stablehlo.exponential_minus_one", plain<ExponentialMinusOne>},
      {"stablehlo.log", plain<Log>},
      {"stablehlo.log_plus_one", plain<LogPlusOne>},
      {"stablehlo.logistic", plain<Logistic>},
      {"stablehlo.tanh", plain<Tanh>},
      {"stablehlo.sqrt", plain<Sqrt>},
      {"stablehlo.rsqrt", plain<Rsqrt>},
      {"stablehlo.sine", plain<Sine>},
      {"stablehlo.cosine", plain<Cosine>},
      {"stablehlo.floor", plain<Floor>},
      {"stablehlo.ceil", plain<Ceil>},
      {"stablehlo.reduce_precision", reduce_precision},
      {"stablehlo.round_nearest_even", plain<RoundNearestEven>},
      {"stablehlo.round_nearest_afz", plain<RoundNearestAfz>},
      {"stablehlo.cbrt", plain<Cbrt>},
      {"stablehlo.atan2", plain<Atan2>},
      {"stablehlo.is_finite", plain<IsFinite>},
      {"stablehlo.and", both},
      {"stablehlo.or", either},
      {"stablehlo.xor", plain<Xor>},
      {"stablehlo.not", plain<Not>},
      {"stablehlo.shift_right_logical", plain<ShiftRightLogical>},
      {"stablehlo.shift_right_arithmetic", plain<ShiftRightArithmetic>},
      {"stablehlo.shift_left", shift_left},
      {"stablehlo.popcnt", plain<Popcnt>},
      {"stablehlo.count_leading_zeros", plain<CountLeadingZeros>},
      {"stablehlo.bitcast_convert", bitcast_convert},
      {"stablehlo.compare", compare},
      {"stablehlo.select", select},
      {"stablehlo.clamp", plain<Clamp>},
      {"stablehlo.convert", convert},
      {"stablehlo.optimization_barrier", same},
      {"sdy.sharding_constraint", same},
      {"chlo.square", square},
      {"chlo.erf", plain<Erf>},
      {"chlo.erfc", plain<Erfc>},
      {"chlo.erf_inv", plain<ErfInv>},
  };
  return kRules;
}

}  // namespace isoshard::stablehlo
