// The arithmetic of positions on a mesh (docs/spec/views.md, "Meshes and groups"). A position is a number in row-major
// order, the last axis fastest; coordinates come from it by strides, so nothing is stored per device. A group is a
// tuple of axes: the index of a device in it is row-major in the order of the tuple, and `member` is the device with a
// given index that agrees with a position on all other axes. The order of physical devices is a permutation beside
// this, which only placement uses. Cost: the number of axes.
#include "core/ir/types/mesh.h"

#include <utility>

#include "core/support/check.h"

namespace isoshard {

AxisSet Group::set() const {
  AxisSet result;
  for (const AxisId axis : axes) result.insert(axis);
  return result;
}

Mesh::Mesh(std::string name, std::vector<MeshAxis> axes, std::vector<int64_t> device_order)
    : name_(std::move(name)), axes_(std::move(axes)), strides_(axes_.size()), device_order_(std::move(device_order)) {
  ISOSHARD_CHECK(axes_.size() <= AxisSet::kMaxAxes, "a mesh has at most 16 axes");
  for (size_t i = axes_.size(); i-- > 0;) {
    strides_[i] = device_count_;
    ISOSHARD_CHECK(axes_[i].size >= 1 && axes_[i].size <= (int64_t{1} << 31) / device_count_, "mesh size");
    device_count_ *= axes_[i].size;
  }
  bool identity = true;
  for (size_t i = 0; i < device_order_.size(); ++i) identity &= device_order_[i] == static_cast<int64_t>(i);
  if (identity) device_order_.clear();
}

std::optional<AxisId> Mesh::find(std::string_view name) const {
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].name == name) return AxisId(i);
  }
  return std::nullopt;
}

int64_t Mesh::device(int64_t position) const {
  return device_order_.empty() ? position : device_order_[static_cast<size_t>(position)];
}

int64_t Mesh::coordinate(int64_t position, AxisId axis) const {
  return position / stride(axis) % axes_[axis.index()].size;
}

int64_t Mesh::size(const Group& group) const {
  int64_t result = 1;
  for (const AxisId id : group.axes) result *= axis(id).size;
  return result;
}

int64_t Mesh::index_in(const Group& group, int64_t position) const {
  int64_t result = 0;
  for (const AxisId id : group.axes) result = result * axis(id).size + coordinate(position, id);
  return result;
}

int64_t Mesh::member(const Group& group, int64_t position, int64_t index) const {
  int64_t result = position;
  for (size_t i = group.axes.size(); i-- > 0;) {
    const AxisId id = group.axes[i];
    result += (index % axis(id).size - coordinate(position, id)) * stride(id);
    index /= axis(id).size;
  }
  return result;
}

Group Mesh::all() const {
  Group result;
  for (size_t i = 0; i < axis_count(); ++i) result.axes.emplace_back(i);
  return result;
}

Group Mesh::in_order(const AxisSet& axes) const {
  Group result = all();
  std::erase_if(result.axes, [&](AxisId axis) { return !axes.contains(axis); });
  return result;
}

std::string Mesh::place(int64_t position) const {
  std::string text;
  for (size_t a = 0; a < axes_.size(); ++a) {
    text += (text.empty() ? "" : ", ") + axes_[a].name + "=" + std::to_string(coordinate(position, AxisId(a)));
  }
  return text.empty() ? "the device" : text;
}

std::string Mesh::to_string(const Group& group) const {
  if (group.axes.size() == 1) return axis(group.axes[0]).name;
  std::string text = "(";
  for (size_t i = 0; i < group.axes.size(); ++i) text += (i ? ", " : "") + axis(group.axes[i]).name;
  return text + ")";
}

}  // namespace isoshard
