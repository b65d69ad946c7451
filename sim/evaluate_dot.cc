#include "sim/evaluate_dot.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/domains/turned_dot.h"
#include "sim/integer_ops.h"
#include "sim/movement.h"
#include "sim/new_value.h"

namespace isoshard::sim {
namespace {

bool contains(const std::vector<int64_t>& dims, int64_t dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

std::vector<int64_t> free_dims(const Shape& shape, const std::vector<int64_t>& contracted,
                               const std::vector<int64_t>& batch) {
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (!contains(contracted, d) && !contains(batch, d)) dims.push_back(d);
  }
  return dims;
}

int64_t size_over(const Shape& shape, const std::vector<int64_t>& dims) {
  int64_t size = 1;
  for (const int64_t d : dims) size *= shape[static_cast<size_t>(d)];
  return size;
}

std::vector<int64_t> joined(std::vector<int64_t> batch, const std::vector<int64_t>& first,
                            const std::vector<int64_t>& second) {
  batch.insert(batch.end(), first.begin(), first.end());
  batch.insert(batch.end(), second.begin(), second.end());
  return batch;
}

/// Matrices of an operand, one after another; turned where each lies with its columns as rows.
struct Matrices {
  Value value;
  bool turned = false;
};

/// x as matrices [first, second] for each index of `batch`; where turned ones are welcome, without a copy.
Matrices arranged(const Value& x, const std::vector<int64_t>& batch, const std::vector<int64_t>& first,
                  const std::vector<int64_t>& second, bool turned_welcome) {
  const std::vector<int64_t> turned = joined(batch, second, first);
  const bool is_matrix = size_over(x.type.shape, first) > 1 && size_over(x.type.shape, second) > 1;
  if (turned_welcome && is_matrix && std::is_sorted(turned.begin(), turned.end())) return {x, true};
  return {transpose(x, joined(batch, first, second)), false};
}

/// One matrix product [m, k] x [k, n] per batch index.
struct Product {
  int64_t batches, m, n, k;
  DType dtype;
  const Domain& domain;
  bool left_turned = false, right_turned = false;

  void matrix(const std::byte* a, const std::byte* b, std::byte* out) const {
    if (left_turned || right_turned)
      return turned_dot(domain, dtype, {m, n, k}, {a, left_turned}, {b, right_turned}, out);
    if (is_float(dtype)) return domain.dot(dtype, m, n, k, a, b, out);
    integer::dot(dtype, m, n, k, a, b, out);
  }

  /// Matrices of one plane lie one after another.
  void in_place(const Value& a, const Value& b, const NewValue& out) const {
    const size_t bytes = a.storage.element_bytes;
    for (int64_t i = 0; i < batches; ++i) {
      const auto at = [&](int64_t size) { return static_cast<size_t>(i * size) * bytes; };
      matrix(a.data.get() + at(m * k), b.data.get() + at(k * n), out.data.get() + at(m * n));
    }
  }

  /// The planes of one matrix are brought together first.
  void by_copies(const Value& a, const Value& b, const NewValue& out) const {
    const Value left = reshape(a, {batches, m * k}), right = reshape(b, {batches, k * n});
    const NewValue part(TensorType{dtype, {m * n}}, out.storage);
    for (int64_t i = 0; i < batches; ++i) {
      const Value x = take_block(left, 0, i, batches), y = take_block(right, 0, i, batches);
      matrix(x.data.get(), y.data.get(), part.data.get());
      const size_t bytes = part.plane_bytes();
      for (size_t p = 0; p < out.storage.planes && bytes != 0; ++p) {
        std::memcpy(out.plane(p) + static_cast<size_t>(i) * bytes, part.plane(p), bytes);
      }
    }
  }
};

}  // namespace

Value dot_general(const DotGeneral& op, const Value& a, const Value& b, const TensorType& result,
                  const Domain& domain) {
  const std::vector<int64_t> rows = free_dims(a.type.shape, op.contract.lhs, op.batch.lhs);
  const std::vector<int64_t> columns = free_dims(b.type.shape, op.contract.rhs, op.batch.rhs);
  const bool turned_welcome = is_float(result.dtype) && takes_turned(domain);
  const Matrices left = arranged(a, op.batch.lhs, rows, op.contract.lhs, turned_welcome);
  const Matrices right = arranged(b, op.batch.rhs, op.contract.rhs, columns, turned_welcome);
  const Product product{size_over(a.type.shape, op.batch.lhs),
                        size_over(a.type.shape, rows),
                        size_over(b.type.shape, columns),
                        size_over(a.type.shape, op.contract.lhs),
                        result.dtype,
                        domain,
                        left.turned,
                        right.turned};
  const NewValue out(result, a.storage);
  if (product.batches == 1 || a.storage.planes == 1) {
    product.in_place(left.value, right.value, out);
  } else {
    product.by_copies(left.value, right.value, out);
  }
  return NewValue(out).finish();
}

}  // namespace isoshard::sim
