// Finds out whether the matrices of a product lie in an array as they are: rows or columns adjacent, the other
// dimension at one distance. That is so when the dimensions that make up rows, and those that make up columns, can each
// be counted with one stride. Then a product reads them in place, with the start of each batch; otherwise the array is
// transposed once, to batch, rows, columns. Cost: the number of batches, or one copy.
#include "sim/value/placed_matrices.h"

#include <algorithm>
#include <optional>

#include "sim/value/movement.h"

namespace isoshard::sim {
namespace {

/// The one distance between neighbours when `dims` are counted through like digits; 1 when there is one index at most.
std::optional<int64_t> common_stride(const Shape& shape, const std::vector<int64_t>& strides,
                                     const std::vector<int64_t>& dims) {
  int64_t size = 1;
  std::optional<int64_t> smallest;
  for (size_t i = dims.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(dims[i]);
    if (shape[d] == 1) continue;
    if (smallest && strides[d] != *smallest * size) return std::nullopt;
    if (!smallest) smallest = strides[d];
    size *= shape[d];
  }
  return smallest.value_or(1);
}

std::vector<int64_t> starts_of(const Shape& shape, const std::vector<int64_t>& strides,
                               const std::vector<int64_t>& batch) {
  std::vector<int64_t> starts{0};
  for (const int64_t dim : batch) {
    const auto d = static_cast<size_t>(dim);
    std::vector<int64_t> finer;
    for (const int64_t start : starts) {
      for (int64_t i = 0; i < shape[d]; ++i) finer.push_back(start + i * strides[d]);
    }
    starts = std::move(finer);
  }
  return starts;
}

}  // namespace

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

PlacedMatrices::PlacedMatrices(const Value& x, const std::vector<int64_t>& batch, const std::vector<int64_t>& first,
                               const std::vector<int64_t>& second)
    : value_(x) {
  const Shape& shape = x.type.shape;
  const std::vector<int64_t> strides = strides_of(shape);
  const int64_t rows = size_over(shape, first), columns = size_over(shape, second);
  const std::optional<int64_t> down = common_stride(shape, strides, first);
  const std::optional<int64_t> along = common_stride(shape, strides, second);
  const bool in_rows = down && along && (*along == 1 || columns <= 1);
  turned_ = !in_rows && down && along && (*down == 1 || rows <= 1);
  if (in_rows || turned_) {
    ld_ = turned_ ? std::max(*along, rows) : std::max(*down, columns);
    starts_ = starts_of(shape, strides, batch);
    return;
  }
  value_ = transpose(x, joined(batch, first, second));
  ld_ = columns;
  for (int64_t i = 0; i < size_over(shape, batch); ++i) starts_.push_back(i * rows * columns);
}

DotOperand PlacedMatrices::matrix(int64_t i) const {
  const size_t start = static_cast<size_t>(starts_[static_cast<size_t>(i)]) * value_.storage.element_bytes;
  return {value_.data.get() + start, ld_, turned_, value_.size()};
}

}  // namespace isoshard::sim
