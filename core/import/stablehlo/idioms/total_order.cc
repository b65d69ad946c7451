// How JAX compares floats in jnp.searchsorted, digitize and histogram: it makes zeros and nans alike and compares by
// TOTALORDER, in which nan is the greatest number. Without the signs of zeros the total order is that of numbers. A
// zero loses its sign by adding +0, which asks nothing; one nan is as good as another, so that the second choice is its
// operand. Cost: a few ops for each comparison.
#include "core/import/stablehlo/idioms/total_order.h"

#include <utility>

namespace isoshard::stablehlo {
namespace {

bool is_plus_zero(const ConstantArray* array) {
  return array != nullptr && array->is_splat() && array->elements[0].is_zero() && array->minus_zeros.empty();
}
bool is_nan(const ConstantArray* array) { return array != nullptr && array->is_splat() && array->elements[0].is_nan(); }
bool is_zero(const Lowering& lowering, ValueId value) {
  const Op* made = lowering.made_by(value);
  const auto* constant = made == nullptr ? nullptr : std::get_if<Constant>(&made->data);
  return constant != nullptr && constant->value.is_zero();
}

/// Whether `y` is x, or x + 0.
bool is_same_number(const Lowering& lowering, ValueId y, ValueId x) {
  const Op* made = lowering.made_by(y);
  const bool sum = made != nullptr && std::holds_alternative<Add>(made->data);
  return y == x || (sum && made->operands[0] == x && is_zero(lowering, made->operands[1]));
}

/// Whether each element is nan; invalid where none is.
ValueId asks_for_nan(Lowering& lowering, const Operation& op, ValueId x) {
  return !lowering.beyond(x).nan ? ValueId() : lowering.append(Compare{Direction::ne}, {x, x}, op);
}

ValueId or_of(Lowering& lowering, const Operation& op, ValueId a, ValueId b) {
  return a.valid() && b.valid() ? lowering.append(Or{}, {a, b}, op) : a.valid() ? a : b;
}

/// Of `x < y`, or `x <= y` with equals.
ValueId is_before(Lowering& lowering, const Operation& op, ValueId x, ValueId y, bool or_equal) {
  const Direction direction = or_equal ? Direction::le : Direction::lt;
  const ValueId less = lowering.append(Compare{direction}, {x, y}, op);
  ValueId beyond = asks_for_nan(lowering, op, y);
  const ValueId also = beyond.valid() && !or_equal ? asks_for_nan(lowering, op, x) : ValueId();
  if (also.valid()) {
    beyond = lowering.append(And{}, {beyond, lowering.append(Not{}, {also}, op)}, op);
  }
  return or_of(lowering, op, less, beyond);
}

ValueId is_equal(Lowering& lowering, const Operation& op, ValueId x, ValueId y) {
  const ValueId equal = lowering.append(Compare{Direction::eq}, {x, y}, op);
  const ValueId a = asks_for_nan(lowering, op, x), b = asks_for_nan(lowering, op, y);
  return a.valid() && b.valid() ? or_of(lowering, op, equal, lowering.append(And{}, {a, b}, op)) : equal;
}

ValueId total_comparison(Lowering& lowering, const Operation& op, Direction direction, ValueId x, ValueId y) {
  switch (direction) {
    case Direction::lt:
    case Direction::le:
      return is_before(lowering, op, x, y, direction == Direction::le);
    case Direction::gt:
    case Direction::ge:
      return is_before(lowering, op, y, x, direction == Direction::ge);
    case Direction::eq:
      return is_equal(lowering, op, x, y);
    default:
      return lowering.append(Not{}, {is_equal(lowering, op, x, y)}, op);
  }
}

}  // namespace

std::optional<Wire> without_signs(Lowering& lowering, const Operation& select, const Scope& scope) {
  const Op* asked = lowering.made_by(lowering.value(select, 0, scope));
  const auto* compare = asked == nullptr ? nullptr : std::get_if<Compare>(&asked->data);
  if (compare == nullptr) return std::nullopt;
  const std::vector<ValueId> of = asked->operands;
  const Direction direction = compare->direction;
  const Wire& otherwise = lowering.wire(select, 2, scope);
  if (!is_float(otherwise.type.dtype) || otherwise.constant) return std::nullopt;
  const ValueId y = lowering.value(otherwise, select);
  const ConstantArray* taken = lowering.constant(select, 1, scope);
  if (direction == Direction::eq && is_plus_zero(taken) && of[0] == y && is_zero(lowering, of[1])) {
    Wire sum = lowering.emit(Add{}, {y, lowering.splat(Rational(0), otherwise.type, select)}, select);
    sum.plus_zero = true;
    return sum;
  }
  if (direction == Direction::ne && is_nan(taken) && of[0] == of[1] && is_same_number(lowering, y, of[0])) {
    Wire same = otherwise;
    same.one_nan = true;
    return same;
  }
  return std::nullopt;
}

std::vector<Wire> total_order(Lowering& lowering, const Operation& op, const Scope& scope, Direction direction) {
  const auto is_plain = [&](size_t i) {
    const Wire& x = lowering.wire(op, i, scope);
    if (x.constant) return x.constant->minus_zeros.empty() && (!x.constant->is_splat() || !is_nan(x.constant.get()));
    return x.plus_zero && (x.one_nan || !lowering.beyond(lowering.value(x, op)).nan);
  };
  if (!is_plain(0) || !is_plain(1)) {
    lowering.unsupported(op,
                         "a comparison by TOTALORDER outside of a sort, but of numbers whose zeros and nans are made "
                         "alike before, as jnp.searchsorted does");
  }
  const ValueId result =
      total_comparison(lowering, op, direction, lowering.value(op, 0, scope), lowering.value(op, 1, scope));
  return {Wire{lowering.builder().type(result).tensor, result}};
}

}  // namespace isoshard::stablehlo
