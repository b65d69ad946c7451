#include "core/ir/ops/reduce.h"

#include <algorithm>

#include "core/ir/ops/shape_checks.h"

namespace isoshard {

Inferred Reduce::infer(const InferContext& context) const {
  if (op == Reducer::none) return context.error("T-reduce", "`op` is missing; expected add");
  const TensorType& x = context.operand(0);
  if (x.dtype == DType::pred) {
    return context.error("T-numeric", "the operand is " + to_string(x) + "; expected numbers, not predicates");
  }
  if (!check_dims(context, dims, x.shape.size())) return std::nullopt;
  TensorType result{x.dtype, {}};
  for (size_t d = 0; d < x.shape.size(); ++d) {
    if (std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) == dims.end()) result.shape.push_back(x.shape[d]);
  }
  return std::vector{result};
}

void Reduce::infer_states(StateContext& context) const {
  infer_states_by_rule(StateRule::unary_linear, context);
  apply_partial(partial, context);
}

}  // namespace isoshard
