#include "core/ir/ops/select.h"

#include "core/ir/ops/elementwise.h"

namespace isoshard {

Inferred Compare::infer(const InferContext& context) const {
  const TensorType& x = context.operand(0);
  const TensorType& y = context.operand(1);
  if (direction == Direction::none) {
    return context.error("T-compare", "`direction` is missing; expected eq, ne, lt, le, gt or ge");
  }
  if (x.dtype == DType::key) return context.error("T-numeric", "the operands are keys; expected numbers or predicates");
  if (x.dtype != y.dtype) {
    return context.error("T-dtype",
                         "the operands are " + to_string(x) + " and " + to_string(y) + "; expected one dtype");
  }
  if (x.shape != y.shape) {
    return context.error("T-shape", "the operands are " + to_string(x) + " and " + to_string(y) +
                                        "; expected one shape (use broadcast_in_dim, nothing is broadcast silently)");
  }
  return std::vector{TensorType{DType::pred, x.shape}};
}

Inferred IsFinite::infer(const InferContext& context) const {
  Inferred result = infer_float_unary(context);
  if (result) result->front().dtype = DType::pred;
  return result;
}

Inferred Select::infer(const InferContext& context) const {
  const TensorType& pred = context.operand(0);
  const TensorType& x = context.operand(1);
  const TensorType& y = context.operand(2);
  if (pred.dtype != DType::pred) {
    return context.error("T-pred", "the first operand is " + to_string(pred) + "; expected pred (see compare)");
  }
  if (!(x == y)) {
    return context.error(
        "T-select", "the branches are " + to_string(x) + " and " + to_string(y) + "; expected one dtype and shape");
  }
  if (!pred.shape.empty() && pred.shape != x.shape) {
    return context.error("T-select", "the predicate is " + to_string(pred) + " and the branches are " + to_string(x) +
                                         "; expected their shape or a scalar");
  }
  return std::vector{x};
}

void Select::infer_states(StateContext& context) const {
  infer_states_with_selectors(StateRule::jointly_linear, 0, 0, context);
}

Inferred Clamp::infer(const InferContext& context) const {
  const TensorType& x = context.operand(1);
  if (!is_numeric(x.dtype)) {
    return context.error("T-numeric", "the operand is " + to_string(x) + "; expected numbers, not predicates or keys");
  }
  for (const size_t i : {0U, 2U}) {
    const TensorType& bound = context.operand(i);
    if (bound.dtype == x.dtype && (bound.shape.empty() || bound.shape == x.shape)) continue;
    return context.error("T-clamp", "a bound is " + to_string(bound) + " and the operand is " + to_string(x) +
                                        "; expected its dtype, and its shape or a scalar");
  }
  return std::vector{x};
}

}  // namespace isoshard
