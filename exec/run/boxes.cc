// Moves boxes between whole arrays and the dense, row-major bytes that a rank has of them. A box goes row by row, a row
// being what lies together in both: the part of the last dimension that is inside of the array. Rows outside of the
// array are skipped, so that padding is never read and never written. Cost: one copy of the box, and an index
// computation per row; boxes of many short rows cost more than one large copy would.
#include "exec/run/boxes.h"

#include <algorithm>
#include <cstring>

namespace isoshard::exec {
namespace {

/// Bytes that lie together in an array and in a box of it.
struct Row {
  size_t in_whole;
  size_t in_box;
  size_t bytes;
};

/// An array and a box of it.
struct Pair {
  const Shape& shape;
  const IndexRange& range;
  size_t element;

  int64_t begin(size_t d) const { return range.begin[d]; }
  int64_t end(size_t d) const { return std::min(range.end[d], shape[d]); }
  bool is_empty() const {
    for (size_t d = 0; d < shape.size(); ++d) {
      if (begin(d) >= end(d)) return true;
    }
    return false;
  }
  Row row(const std::vector<int64_t>& index) const {
    int64_t in_whole = 0, in_box = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      in_whole = in_whole * shape[d] + index[d];
      in_box = in_box * (range.end[d] - range.begin[d]) + index[d] - begin(d);
    }
    const int64_t count = shape.empty() ? 1 : end(shape.size() - 1) - begin(shape.size() - 1);
    return {static_cast<size_t>(in_whole) * element, static_cast<size_t>(in_box) * element,
            static_cast<size_t>(count) * element};
  }
  /// Goes to the next row; false behind the last.
  bool next(std::vector<int64_t>& index) const {
    for (size_t d = shape.size(); d-- > 1;) {
      if (++index[d - 1] < end(d - 1)) return true;
      index[d - 1] = begin(d - 1);
    }
    return false;
  }
};

/// Calls `use` with each row of `pair` and its first index until that says false.
template <class Use>
void for_each_row(const Pair& pair, const Use& use) {
  if (pair.is_empty()) return;
  std::vector<int64_t> index = pair.range.begin;
  do {
    if (!use(pair.row(index), index)) return;
  } while (pair.next(index));
}

}  // namespace

size_t box_bytes(const IndexRange& range, DType dtype) {
  size_t bytes = info(dtype).bytes;
  for (size_t d = 0; d < range.begin.size(); ++d) bytes *= static_cast<size_t>(range.end[d] - range.begin[d]);
  return bytes;
}

void cut_box(const Tensor& whole, const IndexRange& range, std::span<std::byte> box) {
  std::fill(box.begin(), box.end(), std::byte{0xFF});
  for_each_row({whole.shape(), range, info(whole.dtype()).bytes}, [&](const Row& row, const std::vector<int64_t>&) {
    std::memcpy(box.data() + row.in_box, whole.bytes().data() + row.in_whole, row.bytes);
    return true;
  });
}

void put_box(std::span<const std::byte> box, const IndexRange& range, WholeArray& whole) {
  for_each_row({whole.shape, range, info(whole.dtype).bytes}, [&](const Row& row, const std::vector<int64_t>&) {
    std::memcpy(whole.bytes.data() + row.in_whole, box.data() + row.in_box, row.bytes);
    return true;
  });
}

std::optional<std::vector<int64_t>> first_difference(std::span<const std::byte> box, const IndexRange& range,
                                                     const WholeArray& whole) {
  std::optional<std::vector<int64_t>> found;
  const size_t element = info(whole.dtype).bytes;
  for_each_row({whole.shape, range, element}, [&](const Row& row, const std::vector<int64_t>& first) {
    const std::byte* ours = box.data() + row.in_box;
    const std::byte* theirs = whole.bytes.data() + row.in_whole;
    if (std::memcmp(ours, theirs, row.bytes) == 0) return true;
    const auto at = static_cast<size_t>(std::mismatch(ours, ours + row.bytes, theirs).first - ours);
    found = first;
    if (!first.empty()) found->back() += static_cast<int64_t>(at / element);
    return false;
  });
  return found;
}

}  // namespace isoshard::exec
