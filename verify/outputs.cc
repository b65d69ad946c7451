#include "verify/outputs.h"

#include <cstring>
#include <map>

#include "core/support/check.h"

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
    for (size_t d = 0; d <= last; ++d) offset = offset * whole[d] + block.block[d] * local[d] + index[d];
    visit(BlockRow{row * local[last], offset, local[last]});
    for (size_t d = last; d-- > 0 && ++index[d] == local[d];) index[d] = 0;
  }
}

sim::Value assemble_output(const TensorType& type, const std::vector<sim::StoredBlock>& blocks) {
  ISOSHARD_CHECK(!blocks.empty(), "an output has blocks");
  const sim::Storage storage = blocks[0].value.storage;
  const size_t bytes = storage.element_bytes, plane = static_cast<size_t>(element_count(type.shape)) * bytes;
  std::shared_ptr<std::byte> data = allocate_aligned(plane * storage.planes);
  for (size_t b = blocks.size(); b-- > 0;) {  // backwards, so that the first device's copy stays
    const sim::Value& value = blocks[b].value;
    for_each_row(blocks[b], type.shape, [&](const BlockRow& row) {
      for (size_t p = 0; p < storage.planes; ++p) {
        std::memcpy(data.get() + p * plane + static_cast<size_t>(row.in_whole) * bytes,
                    value.data.get() + p * value.plane_bytes() + static_cast<size_t>(row.in_block) * bytes,
                    static_cast<size_t>(row.length) * bytes);
      }
    });
  }
  return sim::Value{type, storage, std::move(data)};
}

std::vector<int64_t> unflatten(int64_t flat, const Shape& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = flat % shape[d];
    flat /= shape[d];
  }
  return index;
}

std::vector<int64_t> disagreeing_positions(const std::vector<sim::StoredBlock>& blocks) {
  std::map<std::vector<int64_t>, const sim::StoredBlock*> first;
  std::vector<int64_t> result;
  for (const sim::StoredBlock& block : blocks) {
    const auto [known, is_new] = first.emplace(block.block, &block);
    if (!is_new && !sim::same_bits(known->second->value, block.value)) result.push_back(block.position);
  }
  return result;
}

std::vector<AxisId> disagreeing_axes(const std::vector<sim::StoredBlock>& blocks, const Mesh& mesh) {
  std::map<int64_t, const sim::StoredBlock*> by_position;
  for (const sim::StoredBlock& block : blocks) by_position.emplace(block.position, &block);
  std::vector<AxisId> result;
  for (size_t a = 0; a < mesh.axis_count(); ++a) {
    const Group group{{AxisId(a)}};
    bool differ = false;
    for (const auto& [position, block] : by_position) {
      const auto leader = by_position.find(mesh.leader(group, position));
      differ = differ || (leader != by_position.end() && leader->second->block == block->block &&
                          !sim::same_bits(leader->second->value, block->value));
    }
    if (differ) result.push_back(AxisId(a));
  }
  return result;
}

}  // namespace isoshard::verify
