#include "core/ir/ops/dot_general.h"

#include <algorithm>

#include "core/ir/ops/shape_checks.h"

namespace isoshard {
namespace {

void append_free(Shape& result, const Shape& shape, const std::vector<int64_t>& contracted) {
  for (size_t d = 0; d < shape.size(); ++d) {
    if (std::find(contracted.begin(), contracted.end(), static_cast<int64_t>(d)) == contracted.end()) {
      result.push_back(shape[d]);
    }
  }
}

}  // namespace

Inferred DotGeneral::infer(const InferContext& context) const {
  const TensorType& a = context.operand(0);
  const TensorType& b = context.operand(1);
  if (a.dtype != b.dtype || a.dtype == DType::pred) {
    return context.error("T-dtype",
                         "the operands are " + to_string(a) + " and " + to_string(b) + "; expected one numeric dtype");
  }
  if (contract.lhs.size() != contract.rhs.size()) {
    return context.error("T-dot", "contract pairs " + std::to_string(contract.lhs.size()) + " dims with " +
                                      std::to_string(contract.rhs.size()) + "; expected equal counts");
  }
  if (!check_dims(context, contract.lhs, a.shape.size()) || !check_dims(context, contract.rhs, b.shape.size())) {
    return std::nullopt;
  }
  for (size_t i = 0; i < contract.lhs.size(); ++i) {
    const int64_t left = a.shape[static_cast<size_t>(contract.lhs[i])];
    const int64_t right = b.shape[static_cast<size_t>(contract.rhs[i])];
    if (left == right) continue;
    return context.error("T-dot", "contracts lhs dim " + std::to_string(contract.lhs[i]) + " with size " +
                                      std::to_string(left) + " and rhs dim " + std::to_string(contract.rhs[i]) +
                                      " with size " + std::to_string(right) + " (" + to_string(a) + " x " +
                                      to_string(b) + "); expected equal sizes");
  }
  TensorType result{a.dtype, {}};
  append_free(result.shape, a.shape, contract.lhs);
  append_free(result.shape, b.shape, contract.rhs);
  return std::vector{result};
}

void DotGeneral::infer_states(StateContext& context) const {
  infer_states_by_rule(StateRule::bilinear, context);
  apply_partial(partial, context);
}

}  // namespace isoshard
