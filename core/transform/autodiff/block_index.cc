// Writes the index of a device's block, which a layout gives as an expression, as ops of a program. Programs have
// axis_index, sums and products, but no division; so the expression is evaluated for every device here, and where the
// values are affine in the coordinates they are written as such. Otherwise the index is a sum of steps: each change
// between neighbours, times whether the device is behind it. Both are exact. Cost: one op per axis, or two per change.
#include "core/transform/autodiff/block_index.h"

#include <utility>
#include <vector>

namespace isoshard::autodiff {
namespace {

const TensorType kInteger{DType::i32, {}};

ValueId integer(Emitter& at, int64_t value) { return at.constant(Rational(value), kInteger); }

/// index + factor * x
ValueId plus_times(Emitter& at, ValueId index, int64_t factor, ValueId x) {
  if (factor == 0) return index;
  return at.add(index, factor == 1 ? x : at.scale(x, Rational(factor)));
}

/// The block of each member of the group of those axes.
std::vector<int64_t> blocks_of(const ViewEntry& entry, const Group& group, const Mesh& mesh) {
  std::vector<int64_t> blocks;
  for (int64_t k = 0; k < mesh.size(group); ++k) blocks.push_back(block_index(entry, mesh, mesh.member(group, 0, k)));
  return blocks;
}

/// Per axis of the group, what one step along it adds to the block.
std::vector<int64_t> slopes(const std::vector<int64_t>& blocks, const Group& group, const Mesh& mesh) {
  std::vector<int64_t> result(group.axes.size());
  int64_t stride = 1;
  for (size_t i = group.axes.size(); i-- > 0;) {
    const int64_t size = mesh.axis(group.axes[i]).size;
    if (size > 1) result[i] = blocks[static_cast<size_t>(stride)] - blocks[0];
    stride *= size;
  }
  return result;
}

bool is_affine(const std::vector<int64_t>& blocks, const std::vector<int64_t>& slope, const Group& group,
               const Mesh& mesh) {
  for (size_t k = 0; k < blocks.size(); ++k) {
    const int64_t position = mesh.member(group, 0, static_cast<int64_t>(k));
    int64_t block = blocks[0];
    for (size_t i = 0; i < slope.size(); ++i) block += slope[i] * mesh.coordinate(position, group.axes[i]);
    if (block != blocks[k]) return false;
  }
  return true;
}

ValueId of_expression(Emitter& at, const ViewEntry& entry) {
  const Mesh& mesh = at.builder().mesh();
  const Group group = mesh.in_order(splitting_axes(entry));
  const std::vector<int64_t> blocks = blocks_of(entry, group, mesh);
  const std::vector<int64_t> slope = slopes(blocks, group, mesh);
  ValueId index = integer(at, blocks[0]);
  if (is_affine(blocks, slope, group, mesh)) {
    for (size_t i = 0; i < slope.size(); ++i) {
      if (slope[i] != 0) index = plus_times(at, index, slope[i], at.op(AxisIndex{Group{{group.axes[i]}}}, {}));
    }
    return index;
  }
  const ValueId member = at.op(AxisIndex{group}, {});
  for (size_t k = 1; k < blocks.size(); ++k) {
    if (blocks[k] == blocks[k - 1]) continue;
    const ValueId behind = at.compare(Direction::ge, member, integer(at, static_cast<int64_t>(k)));
    index = plus_times(at, index, blocks[k] - blocks[k - 1], at.op(Convert{DType::i32}, {behind}));
  }
  return index;
}

}  // namespace

ValueId append_block_index(Emitter& at, const ViewEntry& entry) {
  if (entry.whole()) return integer(at, 0);
  if (entry.of) return of_expression(at, entry);
  const ValueId index = at.op(AxisIndex{entry.axes}, {});
  const int64_t count = block_count(entry, at.builder().mesh()), offset = (entry.offset % count + count) % count;
  if (offset == 0) return index;
  return at.op(Remainder{}, {at.add(index, integer(at, offset)), integer(at, count)});
}

}  // namespace isoshard::autodiff
