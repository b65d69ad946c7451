#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/ir/builder/cover.h"
#include "core/value/tensor.h"

namespace isoshard::exec {

/// The bytes of a box with elements of `dtype`, dense, with what reaches over the end of its array.
size_t box_bytes(const IndexRange& range, DType dtype);

/// Copies the elements of `whole` in `range` to `box`; bytes of what is over the end of the array become 0xFF.
void cut_box(const Tensor& whole, const IndexRange& range, std::span<std::byte> box);

/// An array while boxes are put into it.
struct WholeArray {
  DType dtype = DType::f32;
  Shape shape;
  std::vector<std::byte> bytes;  ///< dense, row-major
};

/// Copies a box to its place; what is over the end of the array is left out.
void put_box(std::span<const std::byte> box, const IndexRange& range, WholeArray& whole);

/// The indices, in the whole array, of the first element of a box that has other bits there.
std::optional<std::vector<int64_t>> first_difference(std::span<const std::byte> box, const IndexRange& range,
                                                     const WholeArray& whole);

}  // namespace isoshard::exec
