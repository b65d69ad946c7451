#include "core/ir/ops/convert.h"

namespace isoshard {

Inferred Convert::infer(const InferContext& context) const {
  const TensorType& x = context.operand(0);
  if (x.dtype == DType::key || dtype == DType::key) {
    return context.error("T-convert", "converts " + to_string(x) + " to " + std::string(name(dtype)) +
                                          "; expected numbers or predicates, not keys");
  }
  return std::vector{TensorType{dtype, x.shape}};
}

void Convert::infer_states(StateContext& context) const {
  infer_states_by_rule(is_float(dtype) ? StateRule::unary_linear : StateRule::nonlinear, context);
}

Inferred StopGradient::infer(const InferContext& context) const { return std::vector{context.operand(0)}; }

void StopGradient::infer_states(StateContext& context) const {
  context.has_gradient = false;
  infer_states_by_rule(StateRule::unary_linear, context);
}

}  // namespace isoshard
