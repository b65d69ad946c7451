// Types and states of dot_general. Pairs of dimensions are contracted or are batch dimensions, each at most one of
// them, and sizes of a pair agree; the result has batch dimensions first, then the free ones of the left and of the
// right operand, as in StableHLO. States follow from the bilinear row; `partial={axes}` turns V into P, where the
// author says that devices hold terms of one sum (docs/spec/states.md, "Rows of the state table"). Cost: dimensions
// times axes.
#include "core/ir/ops/dot_general.h"

#include <algorithm>

#include "core/ir/ops/shape_checks.h"

namespace isoshard {
namespace {

bool contains(const std::vector<int64_t>& dims, int64_t dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

/// Reports pairs that are no dimensions or differ in size; `what` is `contract` or `batch`, `does` is `contracts` or
/// `batches`.
bool check_pairs(const InferContext& context, const DimPairs& pairs, const std::string& what, const std::string& does) {
  const TensorType& a = context.operand(0);
  const TensorType& b = context.operand(1);
  if (pairs.lhs.size() != pairs.rhs.size()) {
    context.error("T-dot", what + " pairs " + std::to_string(pairs.lhs.size()) + " dims with " +
                               std::to_string(pairs.rhs.size()) + "; expected equal counts");
    return false;
  }
  if (!check_dims(context, pairs.lhs, a.shape.size()) || !check_dims(context, pairs.rhs, b.shape.size())) return false;
  for (size_t i = 0; i < pairs.lhs.size(); ++i) {
    const int64_t left = a.shape[static_cast<size_t>(pairs.lhs[i])];
    const int64_t right = b.shape[static_cast<size_t>(pairs.rhs[i])];
    if (left == right) continue;
    context.error("T-dot", does + " lhs dim " + std::to_string(pairs.lhs[i]) + " with size " + std::to_string(left) +
                               " and rhs dim " + std::to_string(pairs.rhs[i]) + " with size " + std::to_string(right) +
                               " (" + to_string(a) + " x " + to_string(b) + "); expected equal sizes");
    return false;
  }
  return true;
}

/// Reports a dimension that is contracted and a batch dimension at once.
bool check_apart(const InferContext& context, const std::vector<int64_t>& contract, const std::vector<int64_t>& batch,
                 const std::string& side) {
  for (const int64_t dim : batch) {
    if (!contains(contract, dim)) continue;
    context.error("T-dot", side + " dim " + std::to_string(dim) + " is in contract and in batch; expected one of them");
    return false;
  }
  return true;
}

}  // namespace

std::vector<int64_t> free_dims(const Shape& shape, const std::vector<int64_t>& contracted,
                               const std::vector<int64_t>& batch) {
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < std::ssize(shape); ++d) {
    if (!contains(contracted, d) && !contains(batch, d)) dims.push_back(d);
  }
  return dims;
}

Inferred DotGeneral::infer(const InferContext& context) const {
  const TensorType& a = context.operand(0);
  const TensorType& b = context.operand(1);
  if (a.dtype != b.dtype || !is_numeric(a.dtype)) {
    return context.error("T-dtype",
                         "the operands are " + to_string(a) + " and " + to_string(b) + "; expected one numeric dtype");
  }
  if (!check_pairs(context, contract, "contract", "contracts") || !check_pairs(context, batch, "batch", "batches") ||
      !check_apart(context, contract.lhs, batch.lhs, "lhs") || !check_apart(context, contract.rhs, batch.rhs, "rhs")) {
    return std::nullopt;
  }
  TensorType result{a.dtype, {}};
  for (const int64_t dim : batch.lhs) result.shape.push_back(a.shape[static_cast<size_t>(dim)]);
  for (const int64_t dim : free_dims(a.shape, contract.lhs, batch.lhs)) {
    result.shape.push_back(a.shape[static_cast<size_t>(dim)]);
  }
  for (const int64_t dim : free_dims(b.shape, contract.rhs, batch.rhs)) {
    result.shape.push_back(b.shape[static_cast<size_t>(dim)]);
  }
  if (!check_sizes(context, result.shape)) return std::nullopt;
  return std::vector{result};
}

void DotGeneral::infer_states(StateContext& context) const {
  infer_states_by_rule(StateRule::bilinear, context);
  apply_partial(partial, context);
}

}  // namespace isoshard
