#include "sim/evaluate_dot.h"

#include <algorithm>
#include <vector>

#include "sim/integer_ops.h"
#include "sim/movement.h"
#include "sim/new_value.h"

namespace isoshard::sim {
namespace {

std::vector<int64_t> free_dims(const Shape& shape, const std::vector<int64_t>& contracted) {
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (std::find(contracted.begin(), contracted.end(), d) == contracted.end()) dims.push_back(d);
  }
  return dims;
}

int64_t size_over(const Shape& shape, const std::vector<int64_t>& dims) {
  int64_t size = 1;
  for (const int64_t d : dims) size *= shape[static_cast<size_t>(d)];
  return size;
}

/// x with the dimensions `first`, then `second`.
Value arranged(const Value& x, std::vector<int64_t> first, const std::vector<int64_t>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return transpose(x, first);
}

}  // namespace

Value dot_general(const DotGeneral& op, const Value& a, const Value& b, const TensorType& result,
                  const Domain& domain) {
  const std::vector<int64_t> rows = free_dims(a.type.shape, op.contract.lhs);
  const std::vector<int64_t> columns = free_dims(b.type.shape, op.contract.rhs);
  const int64_t m = size_over(a.type.shape, rows);
  const int64_t n = size_over(b.type.shape, columns);
  const int64_t k = size_over(a.type.shape, op.contract.lhs);
  const Value left = arranged(a, rows, op.contract.lhs);
  const Value right = arranged(b, op.contract.rhs, columns);
  NewValue out(result, a.storage);
  if (is_float(result.dtype)) {
    domain.dot(result.dtype, m, n, k, left.data.get(), right.data.get(), out.data.get());
  } else {
    integer::dot(result.dtype, m, n, k, left.data.get(), right.data.get(), out.data.get());
  }
  return std::move(out).finish();
}

}  // namespace isoshard::sim
