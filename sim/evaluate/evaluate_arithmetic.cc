// Evaluates arithmetic: the domain calculates floats, one call per array, and integers by its integer part. A
// cumulative sum is made of blocks along its dimension, which are added one by one in ascending order, as a scan would;
// each partial sum is kept, and 16-bit floats are added in f32 (accumulator.cc). Cost: one pass; of a cumulative sum
// one addition of a block per step.
#include <utility>
#include <vector>

#include "sim/evaluate/accumulator.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluate_dot.h"
#include "sim/evaluate/evaluators.h"
#include "sim/value/movement.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {
namespace {

Value numeric_binary(BinaryOp op, IntegerOp of_integers, const EvalContext& c) {
  const Value& x = c.operand(0);
  const Value& y = c.operand(1);
  NewValue result(c.result(), x.storage);
  if (is_float(x.type.dtype)) {
    c.domain.binary(op, x.type.dtype, x.size(), x.data.get(), y.data.get(), result.data.get());
  } else {
    c.domain.integer_op(of_integers, x.type.dtype, x.size(), x.data.get(), y.data.get(), result.data.get());
  }
  return std::move(result).finish();
}

}  // namespace

Value apply(const Constant& op, const EvalContext& c) { return splat(c.result(), op.value, c.domain); }

Value apply(const Negate&, const EvalContext& c) {
  const Value& x = c.operand(0);
  NewValue result(c.result(), x.storage);
  if (is_float(x.type.dtype)) {
    c.domain.unary(UnaryOp::negate, x.type.dtype, x.size(), x.data.get(), result.data.get());
  } else {
    c.domain.integer_op(IntegerOp::negate, x.type.dtype, x.size(), x.data.get(), x.data.get(), result.data.get());
  }
  return std::move(result).finish();
}

Value apply(const Add&, const EvalContext& c) { return numeric_binary(BinaryOp::add, IntegerOp::add, c); }
Value apply(const Subtract&, const EvalContext& c) {
  return numeric_binary(BinaryOp::subtract, IntegerOp::subtract, c);
}
Value apply(const Multiply&, const EvalContext& c) {
  return numeric_binary(BinaryOp::multiply, IntegerOp::multiply, c);
}

Value apply(const Divide&, const EvalContext& c) {
  const Value& x = c.operand(0);
  NewValue result(c.result(), x.storage);
  c.domain.binary(BinaryOp::divide, x.type.dtype, x.size(), x.data.get(), c.operand(1).data.get(), result.data.get());
  return std::move(result).finish();
}

Value apply(const DotGeneral& op, const EvalContext& c) {
  return dot_general(op, c.operand(0), c.operand(1), c.result(), c.domain);
}

Value apply(const Cumsum& op, const EvalContext& c) {
  const Value& x = c.operand(0);
  const int64_t count = x.type.shape[static_cast<size_t>(op.dim)];
  if (x.size() == 0) return x;
  std::vector<Value> sums;
  Accumulator sum(take_block(x, op.dim, 0, count));
  sums.push_back(sum.current());
  for (int64_t i = 1; i < count; ++i) {
    sum.add(take_block(x, op.dim, i, count), c.domain);
    sums.push_back(sum.current());
  }
  return concatenate(sums, op.dim);
}

}  // namespace isoshard::sim
