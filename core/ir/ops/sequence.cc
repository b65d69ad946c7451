#include "core/ir/ops/sequence.h"

#include "core/ir/ops/shape_checks.h"

namespace isoshard {

Inferred Pad::infer(const InferContext& context) const {
  const TensorType& x = context.operand(0);
  const TensorType& value = context.operand(1);
  if (!(value == TensorType{x.dtype, {}})) {
    return context.error(
        "T-pad", "the padding value is " + to_string(value) + "; expected a scalar " + std::string(name(x.dtype)));
  }
  if (low.size() != x.shape.size() || high.size() != x.shape.size()) {
    return context.error("T-pad", "low and high need one entry per dimension of " + to_string(x));
  }
  TensorType result = x;
  for (size_t d = 0; d < low.size(); ++d) {
    if (low[d] < 0 || high[d] < 0) {
      return context.error("T-pad", "the padding " + std::to_string(low[d]) + ", " + std::to_string(high[d]) +
                                        " of dim " + std::to_string(d) + " is negative; slice takes elements away");
    }
    result.shape[d] += low[d] + high[d];
  }
  if (!check_sizes(context, result.shape)) return std::nullopt;
  return std::vector{result};
}

Inferred Reverse::infer(const InferContext& context) const {
  if (!check_dims(context, dims, context.operand(0).shape.size())) return std::nullopt;
  return std::vector{context.operand(0)};
}

Inferred Cumsum::infer(const InferContext& context) const {
  const TensorType& x = context.operand(0);
  if (!is_numeric(x.dtype)) return context.error("T-numeric", "the operand is " + to_string(x) + "; expected numbers");
  if (!check_dim(context, dim, x.shape.size())) return std::nullopt;
  return std::vector{x};
}

Inferred TopK::infer(const InferContext& context) const {
  TensorType values = context.operand(0);
  if (!is_numeric(values.dtype)) {
    return context.error("T-numeric", "the operand is " + to_string(values) + "; expected numbers");
  }
  if (values.shape.empty() || k < 1 || k > values.shape.back()) {
    return context.error("T-top-k", "`k` is " + std::to_string(k) + " for an operand " + to_string(values) +
                                        "; expected 1 to the size of the last dimension");
  }
  values.shape.back() = k;
  return std::vector{values, TensorType{DType::i32, values.shape}};
}

}  // namespace isoshard
