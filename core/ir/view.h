#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/type.h"

namespace isoshard {

/// How one dimension of a global is read: whole (`-`), or one of size(axes) equal blocks,
/// block = (index of the device in `axes` + offset) mod size(axes) (`model`, `(data, model)`, `model-2`).
struct ViewEntry {
  Group axes;
  int64_t offset = 0;

  bool whole() const { return axes.empty(); }
  bool operator==(const ViewEntry&) const = default;
};

/// One entry per dimension. The same notation lays out outputs: `return @y = %y [data, -]`.
using Layout = std::vector<ViewEntry>;

/// The number of blocks along the dimension of `entry`.
int64_t block_count(const ViewEntry& entry, const Mesh& mesh);
/// The block that the device at `position` reads or writes; 0 for a whole dimension.
int64_t block_index(const ViewEntry& entry, const Mesh& mesh, int64_t position);
/// The axes that split some dimension.
AxisSet splitting_axes(const Layout& layout);
/// The global shape of an output whose local shape is `local`: inverse of the split.
Shape global_shape(const Shape& local, const Layout& layout, const Mesh& mesh);
/// `model`, `model-2`, `(data, model)`, `-`.
std::string to_string(const ViewEntry& entry, const Mesh& mesh);
/// `[data, -]`.
std::string to_string(const Layout& layout, const Mesh& mesh);

}  // namespace isoshard
