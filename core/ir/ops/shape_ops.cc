// Types of ops that move elements without computing: broadcast, reshape, transpose, slice and concatenate. As in
// StableHLO every dimension is explicit: a broadcast says where each dimension of the operand goes, and sizes must be
// equal or 1. Each error gives the sizes at hand and the rule. States follow from the rows of linear ops. Cost: the
// number of dimensions.
#include "core/ir/ops/shape_ops.h"

#include "core/ir/ops/shape_checks.h"

namespace isoshard {

Inferred BroadcastInDim::infer(const InferContext& context) const {
  const TensorType& x = context.operand(0);
  if (!check_sizes(context, shape)) return std::nullopt;
  if (dims.size() != x.shape.size()) {
    return context.error("T-broadcast", "dims has " + std::to_string(dims.size()) + " entries for an operand " +
                                            to_string(x) + "; expected one per operand dimension");
  }
  if (!check_dims(context, dims, shape.size())) return std::nullopt;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t target = shape[static_cast<size_t>(dims[i])];
    if (x.shape[i] == target || x.shape[i] == 1) continue;
    return context.error("T-broadcast", "operand dim " + std::to_string(i) + " with size " +
                                            std::to_string(x.shape[i]) + " maps to result dim " +
                                            std::to_string(dims[i]) + " with size " + std::to_string(target) +
                                            "; expected equal sizes or 1");
  }
  return std::vector{TensorType{x.dtype, shape}};
}

Inferred Reshape::infer(const InferContext& context) const {
  const TensorType& x = context.operand(0);
  if (!check_sizes(context, shape)) return std::nullopt;
  if (element_count(x.shape) != element_count(shape)) {
    return context.error("T-reshape", "the operand " + to_string(x) + " has " + std::to_string(element_count(x.shape)) +
                                          " elements and [" + to_string(shape) + "] has " +
                                          std::to_string(element_count(shape)));
  }
  return std::vector{TensorType{x.dtype, shape}};
}

Inferred Transpose::infer(const InferContext& context) const {
  const TensorType& x = context.operand(0);
  if (permutation.size() != x.shape.size()) {
    return context.error("T-transpose", "permutation has " + std::to_string(permutation.size()) +
                                            " entries for an operand " + to_string(x) + "; expected one per dimension");
  }
  if (!check_dims(context, permutation, x.shape.size())) return std::nullopt;
  TensorType result{x.dtype, {}};
  for (const int64_t dim : permutation) result.shape.push_back(x.shape[static_cast<size_t>(dim)]);
  return std::vector{result};
}

Inferred Slice::infer(const InferContext& context) const {
  const TensorType& x = context.operand(0);
  const size_t rank = x.shape.size();
  if (start.size() != rank || limit.size() != rank || (!strides.empty() && strides.size() != rank)) {
    return context.error("T-slice", "start, limit and strides need one entry per dimension of " + to_string(x));
  }
  TensorType result{x.dtype, {}};
  for (size_t i = 0; i < rank; ++i) {
    const int64_t step = strides.empty() ? 1 : strides[i];
    if (start[i] < 0 || start[i] > limit[i] || limit[i] > x.shape[i] || step < 1) {
      return context.error("T-slice", "the range " + std::to_string(start[i]) + ".." + std::to_string(limit[i]) +
                                          " step " + std::to_string(step) + " does not fit dim " + std::to_string(i) +
                                          " with size " + std::to_string(x.shape[i]) +
                                          "; expected 0 <= start <= limit <= size and step >= 1");
    }
    result.shape.push_back((limit[i] - start[i] + step - 1) / step);
  }
  return std::vector{result};
}

Inferred Concatenate::infer(const InferContext& context) const {
  TensorType result = context.operand(0);
  if (!check_dim(context, dim, result.shape.size())) return std::nullopt;
  const size_t d = static_cast<size_t>(dim);
  for (size_t i = 1; i < context.operand_count(); ++i) {
    TensorType other = context.operand(i);
    const int64_t size = other.shape.size() == result.shape.size() ? other.shape[d] : 0;
    if (other.shape.size() == result.shape.size()) other.shape[d] = result.shape[d];
    if (!(other == result)) {
      return context.error("T-concatenate", "operand " + std::to_string(i) + " is " + to_string(context.operand(i)) +
                                                " and operand 0 is " + to_string(context.operand(0)) +
                                                "; expected one dtype and equal sizes except in dim " +
                                                std::to_string(dim));
    }
    result.shape[d] += size;
  }
  return std::vector{result};
}

}  // namespace isoshard
