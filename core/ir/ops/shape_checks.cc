#include "core/ir/ops/shape_checks.h"

#include <algorithm>

#include "core/ir/types/size_limit.h"

namespace isoshard {

bool check_sizes(const InferContext& context, const Shape& shape) {
  if (is_countable(shape)) return true;
  context.error("T-size", "the shape [" + to_string(shape) +
                              "] is not possible; expected sizes of at least 0 and at most 2^40 elements");
  return false;
}

bool check_dim(const InferContext& context, int64_t dim, size_t rank) {
  if (dim >= 0 && dim < static_cast<int64_t>(rank)) return true;
  context.error("T-dim", "dim " + std::to_string(dim) + " is out of range for a tensor of rank " +
                             std::to_string(rank) + (rank ? "; expected 0 to " + std::to_string(rank - 1) : ""));
  return false;
}

bool check_dims(const InferContext& context, const std::vector<int64_t>& dims, size_t rank) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!check_dim(context, dims[i], rank)) return false;
    for (size_t j = 0; j < i; ++j) {
      if (dims[i] != dims[j]) continue;
      context.error("T-dim", "dim " + std::to_string(dims[i]) + " is named twice; expected each dimension once");
      return false;
    }
  }
  return true;
}

bool check_starts(const InferContext& context, size_t first, const TensorType& whole) {
  if (context.operand_count() != first + whole.shape.size()) {
    context.error("T-starts",
                  "has " + std::to_string(context.operand_count() - std::min(first, context.operand_count())) +
                      " starts for an array " + to_string(whole) + "; expected one integer scalar per dimension");
    return false;
  }
  for (size_t i = first; i < context.operand_count(); ++i) {
    const TensorType& start = context.operand(i);
    if (is_integer(start.dtype) && start.shape.empty()) continue;
    context.error("T-starts",
                  "start " + std::to_string(i - first) + " is " + to_string(start) + "; expected an integer scalar");
    return false;
  }
  return true;
}

bool check_divides(const InferContext& context, const Shape& shape, int64_t dim, const Group& axes) {
  const int64_t size = shape[static_cast<size_t>(dim)];
  const int64_t parts = context.mesh().size(axes);
  if (size % parts == 0) return true;
  context.error("T-divide", "dim " + std::to_string(dim) + " with size " + std::to_string(size) +
                                " is not divisible by " + std::to_string(parts) + ", the size of " +
                                context.mesh().to_string(axes));
  return false;
}

}  // namespace isoshard
