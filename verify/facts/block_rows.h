#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/ir/types/type.h"
#include "sim/engine/engine.h"

namespace isoshard::verify {

/// A run of elements that are adjacent in a block and in the whole array; offsets and length in elements.
struct BlockRow {
  int64_t in_block = 0;
  int64_t in_whole = 0;
  int64_t length = 0;
};

/// Calls `visit` for the rows of a stored block, in order of the block's elements.
void for_each_row(const sim::StoredBlock& block, const Shape& whole, const std::function<void(const BlockRow&)>& visit);

/// The indices per dimension of row-major element `flat`.
std::vector<int64_t> unflatten(int64_t flat, const Shape& shape);
/// The row-major element at `index`.
int64_t flatten(const std::vector<int64_t>& index, const Shape& shape);

/// Whether `which` marks any output.
bool any_output(const std::vector<bool>& which);

/// The axes along which copies of one block differ.
std::vector<AxisId> disagreeing_axes(const std::vector<sim::StoredBlock>& blocks, const Mesh& mesh);

}  // namespace isoshard::verify
