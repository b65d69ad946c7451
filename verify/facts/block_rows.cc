// Walks the rows of a block, stretches that are adjacent in block and whole alike, so that comparisons run over memory
// and not over indices. Beside it are the arithmetic of flat indices, and along which axes copies of a block disagree:
// a device is compared with the one of coordinate 0 on each axis, so that an axis is named when it alone makes a
// difference. Cost: one step per row, or one comparison per block and axis.
#include "verify/facts/block_rows.h"

#include <algorithm>
#include <map>

#include "sim/evaluate/difference.h"

namespace isoshard::verify {

void for_each_row(const sim::StoredBlock& block, const Shape& whole,
                  const std::function<void(const BlockRow&)>& visit) {
  const Shape& local = block.value.type.shape;
  if (local.empty()) return visit(BlockRow{0, 0, 1});
  const size_t last = local.size() - 1;
  std::vector<int64_t> index(local.size(), 0);  // of the row within the block; the last entry stays 0
  const int64_t rows = local[last] == 0 ? 0 : element_count(local) / local[last];
  for (int64_t row = 0; row < rows; ++row) {
    int64_t offset = 0;
    for (size_t d = 0; d <= last; ++d) offset = offset * whole[d] + block.begin[d] + index[d];
    visit(BlockRow{row * local[last], offset, local[last]});
    for (size_t d = last; d-- > 0 && ++index[d] == local[d];) index[d] = 0;
  }
}

int64_t flatten(const std::vector<int64_t>& index, const Shape& shape) {
  int64_t result = 0;
  for (size_t d = 0; d < shape.size(); ++d) result = result * shape[d] + index[d];
  return result;
}

std::vector<int64_t> unflatten(int64_t flat, const Shape& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = flat % shape[d];
    flat /= shape[d];
  }
  return index;
}

bool any_output(const std::vector<bool>& which) { return std::find(which.begin(), which.end(), true) != which.end(); }

std::vector<AxisId> disagreeing_axes(const std::vector<sim::StoredBlock>& blocks, const Mesh& mesh) {
  std::map<int64_t, const sim::StoredBlock*> by_position;
  for (const sim::StoredBlock& block : blocks) by_position.emplace(block.position, &block);
  std::vector<AxisId> result;
  for (size_t a = 0; a < mesh.axis_count(); ++a) {
    const Group group{{AxisId(a)}};
    bool differ = false;
    for (const auto& [position, block] : by_position) {
      const auto leader = by_position.find(mesh.leader(group, position));
      differ = differ || (leader != by_position.end() && leader->second->begin == block->begin &&
                          !sim::same_bits(leader->second->value, block->value));
    }
    if (differ) result.push_back(AxisId(a));
  }
  return result;
}

}  // namespace isoshard::verify
