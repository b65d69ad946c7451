#include "pictures/chart/device_blocks.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "core/ir/builder/cover.h"

namespace isoshard::pictures {
namespace {

/// The block of the device at `position`, without what lies beyond the end.
IndexRange block_of(const Shape& whole, const Layout& layout, const Mesh& mesh, int64_t position) {
  IndexRange range;
  for (size_t d = 0; d < layout.size(); ++d) {
    const int64_t size = block_size(layout[d], whole[d], mesh);
    const int64_t begin = std::min(whole[d], block_index(layout[d], mesh, position) * size);
    range.begin.push_back(begin);
    range.end.push_back(std::min(whole[d], begin + size));
  }
  return range;
}

/// What `view` reads of its block.
void take_part(const View& view, IndexRange& range) {
  size_t part = 0;
  for (size_t d = 0; d < view.layout.size() && !view.range.empty(); ++d) {
    if (view.layout[d].split == Split::stack) continue;  // a block has no such dimension
    const BlockRange& taken = view.range[part++];
    const int64_t begin = range.begin[d];
    range.begin[d] = std::min(range.end[d], begin + taken.start);
    if (taken.limit) range.end[d] = std::min(range.end[d], begin + *taken.limit);
  }
}

DeviceBlocks collect(const Mesh& mesh, const std::function<std::string(int64_t)>& block) {
  DeviceBlocks result;
  std::map<std::string, uint32_t> known;
  for (int64_t position = 0; position < std::min(kMostDevices, mesh.device_count()); ++position) {
    const auto [found, is_new] = known.insert({block(position), static_cast<uint32_t>(known.size())});
    if (is_new) result.blocks.push_back(found->first);
    result.of_device.push_back(found->second);
  }
  return result;
}

}  // namespace

DeviceBlocks blocks_of(const Shape& whole, const Layout& layout, const Mesh& mesh) {
  return collect(mesh, [&](int64_t position) { return to_string(block_of(whole, layout, mesh, position)); });
}

DeviceBlocks blocks_of(const Shape& whole, const View& view, const Mesh& mesh) {
  return collect(mesh, [&](int64_t position) -> std::string {
    for (const Owner& owner : view.only) {
      if (mesh.coordinate(position, owner.axis) != owner.coordinate) return "zeros";
    }
    IndexRange range = block_of(whole, view.layout, mesh, position);
    take_part(view, range);
    return to_string(range);
  });
}

}  // namespace isoshard::pictures
