#pragma once  // internal

#include "core/ir/op_traits.h"

namespace isoshard {

/// Reports sizes that are negative or whose product does not fit 2^40 elements.
bool check_sizes(const InferContext& context, const Shape& shape);
/// Reports a dimension outside [0, rank).
bool check_dim(const InferContext& context, int64_t dim, size_t rank);
/// Reports dimensions that are out of range or repeated.
bool check_dims(const InferContext& context, const std::vector<int64_t>& dims, size_t rank);
/// Reports operands from `first` on that are not one integer scalar per dimension of `whole`, in which they are starts.
bool check_starts(const InferContext& context, size_t first, const TensorType& whole);
/// Reports a dimension that does not split into `parts` equal blocks over `axes`.
bool check_divides(const InferContext& context, const Shape& shape, int64_t dim, const Group& axes);

}  // namespace isoshard
