// Types of elementwise ops, by the class of dtypes that they take: floats, numbers, signed numbers, bits, integers.
// Operands have one dtype and one shape, and nothing is broadcast silently, because in a sharded program a dimension of
// 1 may be a block. States follow from the row of the op; only a quotient has its own, since its denominator may not be
// partial: 1 over a sum is not the sum of the reciprocals. Cost: the number of axes.
#include "core/ir/ops/elementwise.h"

#include "core/ir/state_repairs.h"

namespace isoshard {

Inferred infer_float_unary(const InferContext& context) {
  const TensorType& x = context.operand(0);
  if (!is_float(x.dtype)) {
    return context.error("T-float",
                         "the operand is " + to_string(x) + "; expected floats, not integers, predicates or keys");
  }
  return std::vector{x};
}

Inferred infer_numeric_unary(const InferContext& context) {
  const TensorType& x = context.operand(0);
  if (!is_numeric(x.dtype)) {
    return context.error("T-numeric", "the operand is " + to_string(x) + "; expected numbers, not predicates or keys");
  }
  return std::vector{x};
}

Inferred infer_signed_unary(const InferContext& context) {
  const TensorType& x = context.operand(0);
  if (!is_numeric(x.dtype) || is_unsigned(x.dtype)) {
    return context.error("T-signed", "the operand is " + to_string(x) + "; expected floats or signed integers");
  }
  return std::vector{x};
}

namespace {

bool check_alike(const InferContext& context) {
  const TensorType& x = context.operand(0);
  const TensorType& y = context.operand(1);
  if (x.dtype != y.dtype) {
    context.error("T-dtype", "the operands are " + to_string(x) + " and " + to_string(y) + "; expected one dtype");
    return false;
  }
  if (x.shape != y.shape) {
    context.error("T-shape", "the operands are " + to_string(x) + " and " + to_string(y) +
                                 "; expected one shape (use broadcast_in_dim, nothing is broadcast silently)");
    return false;
  }
  return true;
}

}  // namespace

Inferred infer_numeric_binary(const InferContext& context) {
  if (!check_alike(context)) return std::nullopt;
  return infer_numeric_unary(context);
}

Inferred infer_float_binary(const InferContext& context) {
  if (!check_alike(context)) return std::nullopt;
  return infer_float_unary(context);
}

Inferred infer_bits_unary(const InferContext& context) {
  const TensorType& x = context.operand(0);
  if (x.dtype != DType::pred && !is_integer(x.dtype)) {
    return context.error("T-bits", "the operand is " + to_string(x) + "; expected pred or integers");
  }
  return std::vector{x};
}

Inferred infer_bits_binary(const InferContext& context) {
  if (!check_alike(context)) return std::nullopt;
  return infer_bits_unary(context);
}

Inferred infer_integer_unary(const InferContext& context) {
  const TensorType& x = context.operand(0);
  if (!is_integer(x.dtype)) return context.error("T-bits", "the operand is " + to_string(x) + "; expected integers");
  return std::vector{x};
}

Inferred infer_integer_binary(const InferContext& context) {
  if (!check_alike(context)) return std::nullopt;
  const TensorType& x = context.operand(0);
  if (!is_integer(x.dtype)) {
    return context.error("T-bits", "the operands are " + to_string(x) + "; expected integers");
  }
  return std::vector{x};
}

Inferred Divide::infer(const InferContext& context) const {
  const TensorType& x = context.operand(0);
  if (!is_float(x.dtype)) {
    return context.error("T-float",
                         "the operands are " + to_string(x) + "; expected floats, not integers, predicates or keys");
  }
  return infer_numeric_binary(context);
}

void Divide::infer_states(StateContext& context) const {
  for (size_t i = 0; i < context.result.size(); ++i) {
    const AxisId axis(i);
    if (context.typed && context.operand(1, axis) == State::partial) {
      context.error("S-divide", axis,
                    "the denominator " + context.operands[1].name + " is P over `" + context.mesh.axis(axis).name +
                        "`, and 1/sum is not the sum of 1/x; " +
                        all_reduce_text(context.operands[1], context.mesh.axis(axis).name) + " first");
      continue;
    }
    context.set(axis, apply_rule(StateRule::bilinear, context, axis));
  }
}

}  // namespace isoshard
