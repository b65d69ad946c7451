// Evaluates dot_general as one matrix product per batch index. Domains that can multiply matrices where they lie, in
// rows or columns at any distance, get them without a copy (placed_matrices.cc); others get operands that are
// transposed to batch, rows and contracted dimensions first. Values of several planes, such as lanes, are cut into
// matrices one by one when there are batches, because the planes of one matrix must lie together. Cost: the products,
// and at most one copy of each operand.
#include "sim/evaluate/evaluate_dot.h"

#include <cstring>
#include <vector>

#include "sim/value/movement.h"
#include "sim/value/new_value.h"
#include "sim/value/placed_matrices.h"

namespace isoshard::sim {
namespace {

/// One matrix product [m, k] x [k, n] per batch index.
struct DotProduct {
  int64_t batches;
  DotSizes sizes;
  DType dtype;
  const Domain& domain;

  void matrix(const std::byte* a, const std::byte* b, std::byte* out) const {
    const auto [m, n, k] = sizes;
    if (is_float(dtype)) return domain.dot(dtype, m, n, k, a, b, out);
    domain.integer_dot(dtype, m, n, k, a, b, out);
  }

  /// Matrices of one plane lie one after another.
  void in_order(const Value& a, const Value& b, const NewValue& out) const {
    const auto [m, n, k] = sizes;
    const size_t bytes = a.storage.element_bytes;
    for (int64_t i = 0; i < batches; ++i) {
      const auto at = [&](int64_t size) { return static_cast<size_t>(i * size) * bytes; };
      matrix(a.data.get() + at(m * k), b.data.get() + at(k * n), out.data.get() + at(m * n));
    }
  }

  /// The planes of one matrix are brought together first.
  void by_copies(const Value& a, const Value& b, const NewValue& out) const {
    const auto [m, n, k] = sizes;
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

  void in_place(const InPlaceDot& dot, const PlacedMatrices& a, const PlacedMatrices& b, const NewValue& out) const {
    const size_t bytes = out.storage.element_bytes;
    for (int64_t i = 0; i < batches; ++i) {
      std::byte* const c = out.data.get() + static_cast<size_t>(i * sizes.m * sizes.n) * bytes;
      dot.dot_in_place(dtype, sizes, a.matrix(i), b.matrix(i), DotResult{c, out.size()});
    }
  }
};

}  // namespace

Value dot_general(const DotGeneral& op, const Value& a, const Value& b, const TensorType& result,
                  const Domain& domain) {
  const std::vector<int64_t> rows = free_dims(a.type.shape, op.contract.lhs, op.batch.lhs);
  const std::vector<int64_t> columns = free_dims(b.type.shape, op.contract.rhs, op.batch.rhs);
  const DotSizes sizes{size_over(a.type.shape, rows), size_over(b.type.shape, columns),
                       size_over(a.type.shape, op.contract.lhs)};
  const DotProduct product{size_over(a.type.shape, op.batch.lhs), sizes, result.dtype, domain};
  const NewValue out(result, a.storage);
  const InPlaceDot* in_place = is_float(result.dtype) ? domain.in_place_dot() : nullptr;
  if (in_place != nullptr) {
    product.in_place(*in_place, PlacedMatrices(a, op.batch.lhs, rows, op.contract.lhs),
                     PlacedMatrices(b, op.batch.rhs, op.contract.rhs, columns), out);
    return NewValue(out).finish();
  }
  const Value left = transpose(a, joined(op.batch.lhs, rows, op.contract.lhs));
  const Value right = transpose(b, joined(op.batch.rhs, op.contract.rhs, columns));
  if (product.batches == 1 || a.storage.planes == 1) {
    product.in_order(left, right, out);
  } else {
    product.by_copies(left, right, out);
  }
  return NewValue(out).finish();
}

}  // namespace isoshard::sim
