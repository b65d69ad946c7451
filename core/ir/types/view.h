#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/types/expr.h"
#include "core/ir/types/type.h"

namespace isoshard {

/// Block `index` of `count`: `EXPR of COUNT`.
struct BlockOf {
  Expr index;
  int64_t count = 1;
  bool operator==(const BlockOf&) const = default;
};

/// How a dimension is cut into blocks.
enum class Split : uint8_t {
  equal,   ///< the number of blocks divides the size
  stack,   ///< blocks of size 1; the local value does not have the dimension
  uneven,  ///< blocks of ceil(size / blocks); what lies beyond the end of the dimension is padding
};

/// How one dimension of a global is read: whole (`-`), or one of several blocks. The block is
/// (index of the device in `axes` + offset) mod size(axes) (`model`, `(data, model)`, `model-2`), or as `of` says.
struct ViewEntry {
  Group axes;
  int64_t offset = 0;
  std::optional<BlockOf> of{};  ///< in place of axes and offset
  Split split = Split::equal;

  bool whole() const { return axes.empty() && !of; }
  bool operator==(const ViewEntry&) const = default;
};

/// One entry per dimension of the whole array. The same notation lays out outputs: `return @y = %y [data, -]`.
using Layout = std::vector<ViewEntry>;

/// The number of blocks along the dimension of `entry`.
int64_t block_count(const ViewEntry& entry, const Mesh& mesh);
/// The block that the device at `position` reads or writes; 0 for a whole dimension.
int64_t block_index(const ViewEntry& entry, const Mesh& mesh, int64_t position);
/// The same for every device.
Expr block_expr(const ViewEntry& entry, const Mesh& mesh);
/// The size of a block of a dimension of `size`, padding included.
int64_t block_size(const ViewEntry& entry, int64_t size, const Mesh& mesh);
/// The axes on which the block of `entry` depends.
AxisSet splitting_axes(const ViewEntry& entry);
/// The axes that split some dimension.
AxisSet splitting_axes(const Layout& layout);
/// The number of dimensions of a block: those that are not stacked.
size_t block_rank(const Layout& layout);
/// The shape of a block of an array of shape `whole`, padding included and stacked dimensions left out.
Shape block_shape(const Shape& whole, const Layout& layout, const Mesh& mesh);
/// The global shape of an output whose local shape is `local`: inverse of the split, with the padding of uneven
/// entries.
Shape global_shape(const Shape& local, const Layout& layout, const Mesh& mesh);
/// Positions of one device for each choice of coordinates on `axes`, with 0 on the others: what depends on `axes` only
/// takes all its values there.
std::vector<int64_t> representatives(const Mesh& mesh, const AxisSet& axes);
/// `model`, `model-2`, `(data, model)`, `c*2+pp of 8`, `stack model`, `-`.
std::string to_string(const ViewEntry& entry, const Mesh& mesh);
/// `[data, -]`.
std::string to_string(const Layout& layout, const Mesh& mesh);

}  // namespace isoshard
