// Evaluates ops that depend on order, and on predicates: maxima, comparisons, logic, select, reductions and the k
// largest. What x < y means is the domain's to say (docs/adr/0011-order.md); here only shapes and dtypes are told
// apart, floats, integers and predicates. Comparisons of predicates are made of logic, with false below true, so that a
// domain needs none of its own. A maximum over dimensions brings these to the front and halves the rows until one is
// left, so that the domain is asked log2(rows) times, each time for whole arrays; sums, whose order the domain keeps,
// go to it at once.
#include <algorithm>
#include <utility>

#include "core/support/check.h"
#include "sim/evaluate/combine.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluators.h"
#include "sim/integers/integer_order.h"
#include "sim/value/movement.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {
namespace {

Value sign_op(SignOp op, const EvalContext& c) {
  const Value& x = c.operand(0);
  NewValue result(c.result(), x.storage);
  if (is_float(x.type.dtype)) {
    c.domain.sign(op, x.type.dtype, x.size(), x.data.get(), result.data.get());
  } else {
    const IntegerOp of_integers = op == SignOp::abs ? IntegerOp::absolute : IntegerOp::sign;
    c.domain.integer_op(of_integers, x.type.dtype, x.size(), x.data.get(), x.data.get(), result.data.get());
  }
  return std::move(result).finish();
}

IntegerOp of_bits(Logic op) {
  if (op == Logic::negation) return IntegerOp::complement;
  return op == Logic::conjunction ? IntegerOp::conjunction : IntegerOp::disjunction;
}

Value logic(Logic op, const Value& x, const Value& y, const Domain& domain) {
  NewValue result(x.type, x.storage);
  if (x.type.dtype == DType::pred) {
    domain.logic(op, x.size(), x.data.get(), y.data.get(), result.data.get());
  } else {
    domain.integer_op(of_bits(op), x.type.dtype, x.size(), x.data.get(), y.data.get(), result.data.get());
  }
  return std::move(result).finish();
}

/// Comparisons of predicates, false below true.
Value compare_predicates(Direction direction, const Value& x, const Value& y, const Domain& domain) {
  const auto negation = [&](const Value& a) { return logic(Logic::negation, a, a, domain); };
  switch (direction) {
    case Direction::lt:
      return logic(Logic::conjunction, negation(x), y, domain);
    case Direction::gt:
      return logic(Logic::conjunction, x, negation(y), domain);
    case Direction::le:
      return logic(Logic::disjunction, negation(x), y, domain);
    case Direction::ge:
      return logic(Logic::disjunction, x, negation(y), domain);
    case Direction::eq:
    case Direction::ne: {
      NewValue differ(x.type, x.storage);  // y ? not x : x
      domain.select(DType::pred, x.size(), y.data.get(), negation(x).data.get(), x.data.get(), differ.data.get());
      Value result = std::move(differ).finish();
      return direction == Direction::ne ? result : negation(result);
    }
    case Direction::none:
      break;
  }
  internal_error("compare", "inference rejects a compare without direction", __FILE__, __LINE__);
}

/// `x` with the dimensions `dims` before all others; the others keep their order.
Value dims_first(const Value& x, const std::vector<int64_t>& dims) {
  std::vector<int64_t> permutation = dims;
  for (int64_t d = 0; d < std::ssize(x.type.shape); ++d) {
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) permutation.push_back(d);
  }
  return transpose(x, permutation);
}

Value rows_between(const Value& x, int64_t start, int64_t limit) {
  const int64_t from[] = {start, 0}, to[] = {limit, x.type.shape[1]};
  return slice(x, from, to);
}

/// The extreme over dimension 0 of x[count, rest], by halves: of 2h (+ 1) rows, row i meets row i + h.
Value extreme_rows(Extreme op, Value x, const Domain& domain) {
  while (x.type.shape[0] > 1) {
    const int64_t count = x.type.shape[0], half = count / 2;
    const Value parts[] = {extreme(op, rows_between(x, 0, half), rows_between(x, half, 2 * half), domain),
                           rows_between(x, 2 * half, count)};
    x = count % 2 == 0 ? parts[0] : concatenate(parts, 0);
  }
  return x;
}

Value sum_over_dims(const std::vector<int64_t>& dims, const EvalContext& c) {
  const Value& x = c.operand(0);
  const ReducePlan plan(x.type.shape, dims);
  NewValue result(c.result(), x.storage);
  if (is_float(x.type.dtype)) {
    c.domain.sum(x.type.dtype, plan, x.data.get(), result.data.get());
  } else {
    c.domain.integer_sum(x.type.dtype, plan, x.data.get(), result.data.get());
  }
  return std::move(result).finish();
}

Value no_elements(Extreme op, const TensorType& type, const Domain& domain) {
  if (is_float(type.dtype)) return splat(type, Rational::infinity(op == Extreme::maximum), domain);
  return splat(type, integer::weakest(op, type.dtype), domain);
}

Value reduce_extreme(Extreme op, const std::vector<int64_t>& dims, const EvalContext& c) {
  const Value& x = c.operand(0);
  int64_t count = 1;
  for (const int64_t d : dims) count *= x.type.shape[static_cast<size_t>(d)];
  if (count == 0) return no_elements(op, c.result(), c.domain);
  std::vector<int64_t> order = dims;
  std::sort(order.begin(), order.end());
  const Value rows = reshape(dims_first(x, order), {count, element_count(c.result().shape)});
  return reshape(extreme_rows(op, rows, c.domain), c.result().shape);
}

/// The k largest of each row of x[rows, length], with their indices.
TwoValues largest(const Value& x, int64_t k, const EvalContext& c) {
  NewValue values(c.result(0), x.storage), indices(c.result(1), c.domain.integer_storage(DType::i32));
  c.domain.largest(x.type.dtype, x.type.shape[0], x.type.shape[1], k, x.data.get(), values.data.get(),
                   indices.data.get());
  return {std::move(values).finish(), std::move(indices).finish()};
}

TwoValues argmax(int64_t dim, const EvalContext& c) {
  const Value& x = c.operand(0);
  std::vector<int64_t> others;
  for (int64_t d = 0; d < std::ssize(x.type.shape); ++d) {
    if (d != dim) others.push_back(d);
  }
  const int64_t length = x.type.shape[static_cast<size_t>(dim)];
  return largest(reshape(dims_first(x, others), {element_count(c.result().shape), length}), 1, c);
}

/// An op that reads nothing but integers; of one of them, it stands in the place of the second, too.
Value of_integers(IntegerOp op, const EvalContext& c) {
  const Value &x = c.operand(0), &y = c.operand(c.operands.size() - 1);
  NewValue result(c.result(), x.storage);
  c.domain.integer_op(op, x.type.dtype, x.size(), x.data.get(), y.data.get(), result.data.get());
  return std::move(result).finish();
}

}  // namespace

Value apply(const Abs&, const EvalContext& c) { return sign_op(SignOp::abs, c); }
Value apply(const Sign&, const EvalContext& c) { return sign_op(SignOp::sign, c); }
Value apply(const Maximum&, const EvalContext& c) {
  return extreme(Extreme::maximum, c.operand(0), c.operand(1), c.domain);
}
Value apply(const Minimum&, const EvalContext& c) {
  return extreme(Extreme::minimum, c.operand(0), c.operand(1), c.domain);
}
Value apply(const And&, const EvalContext& c) {
  return logic(Logic::conjunction, c.operand(0), c.operand(1), c.domain);
}
Value apply(const Or&, const EvalContext& c) { return logic(Logic::disjunction, c.operand(0), c.operand(1), c.domain); }
Value apply(const Xor&, const EvalContext& c) {
  const Value &x = c.operand(0), &y = c.operand(1);
  if (x.type.dtype == DType::pred) return compare_predicates(Direction::ne, x, y, c.domain);
  NewValue result(c.result(), x.storage);
  c.domain.integer_op(IntegerOp::exclusive_or, x.type.dtype, x.size(), x.data.get(), y.data.get(), result.data.get());
  return std::move(result).finish();
}
Value apply(const ShiftLeft&, const EvalContext& c) { return of_integers(IntegerOp::shift_left, c); }
Value apply(const ShiftRightLogical&, const EvalContext& c) { return of_integers(IntegerOp::shift_right_logical, c); }
Value apply(const ShiftRightArithmetic&, const EvalContext& c) {
  return of_integers(IntegerOp::shift_right_arithmetic, c);
}
Value apply(const IntegerDivide&, const EvalContext& c) { return of_integers(IntegerOp::quotient, c); }
Value apply(const Popcnt&, const EvalContext& c) { return of_integers(IntegerOp::count_ones, c); }
Value apply(const CountLeadingZeros&, const EvalContext& c) { return of_integers(IntegerOp::leading_zeros, c); }
Value apply(const Not&, const EvalContext& c) { return logic(Logic::negation, c.operand(0), c.operand(0), c.domain); }

Value apply(const Compare& op, const EvalContext& c) {
  const Value &x = c.operand(0), &y = c.operand(1);
  if (x.type.dtype == DType::pred) return compare_predicates(op.direction, x, y, c.domain);
  NewValue result(c.result(), c.domain.storage(DType::pred));
  if (is_float(x.type.dtype)) {
    c.domain.compare(op.direction, x.type.dtype, x.size(), x.data.get(), y.data.get(), result.data.get());
  } else {
    c.domain.integer_compare(op.direction, x.type.dtype, x.size(), x.data.get(), y.data.get(), result.data.get());
  }
  return std::move(result).finish();
}

Value apply(const IsFinite&, const EvalContext& c) {
  const Value& x = c.operand(0);
  NewValue result(c.result(), c.domain.storage(DType::pred));
  c.domain.finite(x.type.dtype, x.size(), x.data.get(), result.data.get());
  return std::move(result).finish();
}

Value apply(const Select&, const EvalContext& c) {
  const Value &x = c.operand(1), &y = c.operand(2);
  const Value predicate =
      c.operand(0).type.shape == x.type.shape ? c.operand(0) : broadcast(c.operand(0), {}, x.type.shape);
  NewValue result(c.result(), x.storage);
  if (is_float(x.type.dtype) || x.type.dtype == DType::pred) {
    c.domain.select(x.type.dtype, x.size(), predicate.data.get(), x.data.get(), y.data.get(), result.data.get());
  } else {
    c.domain.integer_select(x.type.dtype, x.size(), predicate.data.get(), x.data.get(), y.data.get(),
                            result.data.get());
  }
  return std::move(result).finish();
}

TwoValues apply(const Reduce& op, const EvalContext& c) {
  switch (op.op) {
    case Reducer::add:
      return {sum_over_dims(op.dims, c), Value{}};
    case Reducer::max:
      return {reduce_extreme(Extreme::maximum, op.dims, c), Value{}};
    case Reducer::min:
      return {reduce_extreme(Extreme::minimum, op.dims, c), Value{}};
    case Reducer::argmax:
      return argmax(op.dims[0], c);
    case Reducer::mul:
    case Reducer::logical_and:
    case Reducer::logical_or:
      internal_error("reduce", "a product, and or or is elementwise in a Plan", __FILE__, __LINE__);
    case Reducer::none:
      break;
  }
  internal_error("reduce", "inference rejects a reduce without reducer", __FILE__, __LINE__);
}

TwoValues apply(const TopK& op, const EvalContext& c) {
  const Value& x = c.operand(0);
  const int64_t length = x.type.shape.back();
  return largest(reshape(x, {element_count(c.result().shape) / op.k, length}), op.k, c);
}

}  // namespace isoshard::sim
