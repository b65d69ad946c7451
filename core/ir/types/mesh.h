#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/id.h"

namespace isoshard {

using AxisId = Id<struct MeshAxisTag>;

/// A set of axes of one mesh.
class AxisSet {
 public:
  static constexpr size_t kMaxAxes = 16;

  AxisSet() = default;
  void insert(AxisId axis) { bits_ = static_cast<uint16_t>(bits_ | (1U << axis.index())); }
  void insert(const AxisSet& axes) { bits_ = static_cast<uint16_t>(bits_ | axes.bits_); }
  bool contains(AxisId axis) const { return (bits_ >> axis.index() & 1U) != 0; }
  bool intersects(const AxisSet& axes) const { return (bits_ & axes.bits_) != 0; }
  bool empty() const { return bits_ == 0; }
  bool operator==(const AxisSet&) const = default;

 private:
  uint16_t bits_ = 0;
};

/// A tuple of axes, the first most significant: the devices that differ only on these axes form one group.
///
/// The empty group is each device alone.
struct Group {
  std::vector<AxisId> axes;

  bool empty() const { return axes.empty(); }
  AxisSet set() const;
  bool operator==(const Group&) const = default;
};

struct MeshAxis {
  std::string name;
  int64_t size = 1;
  bool operator==(const MeshAxis&) const = default;
};

/// Named axes of devices, row-major: the first axis is most significant in a position.
///
/// A *position* is a place in the mesh, 0 to device_count() - 1; `device_order` maps positions to device ids and may be
/// unsorted. Everything in isoshard is indexed by position; only exec and per-device output look at device ids.
/// A mesh without axes is one device.
class Mesh {
 public:
  Mesh() = default;
  /// Sizes are at least 1 and their product fits 31 bits; `device_order` is empty (0, 1, 2, ...) or a permutation.
  Mesh(std::string name, std::vector<MeshAxis> axes, std::vector<int64_t> device_order = {});

  const std::string& name() const { return name_; }
  const std::vector<MeshAxis>& axes() const { return axes_; }
  size_t axis_count() const { return axes_.size(); }
  const MeshAxis& axis(AxisId id) const { return axes_[id.index()]; }
  std::optional<AxisId> find(std::string_view name) const;
  int64_t device_count() const { return device_count_; }
  const std::vector<int64_t>& device_order() const { return device_order_; }
  int64_t device(int64_t position) const;

  /// The coordinate of `position` on `axis`.
  int64_t coordinate(int64_t position, AxisId axis) const;
  /// The number of devices in a group: the product of its axis sizes.
  int64_t size(const Group& group) const;
  /// The index of `position` within its group, row-major in tuple order.
  int64_t index_in(const Group& group, int64_t position) const;
  /// The position with index `index` in the group that contains `position`.
  int64_t member(const Group& group, int64_t position, int64_t index) const;
  /// The member with index 0 of the group that contains `position`; equal for members of one group only.
  int64_t leader(const Group& group, int64_t position) const { return member(group, position, 0); }
  /// All axes, in mesh order.
  Group all() const;
  /// The axes in `axes`, in mesh order.
  Group in_order(const AxisSet& axes) const;
  /// `data=0, model=1`: the coordinates of `position`; "the device" on a mesh without axes.
  std::string place(int64_t position) const;
  /// `model` or `(data, model)`.
  std::string to_string(const Group& group) const;

  bool operator==(const Mesh&) const = default;

 private:
  int64_t stride(AxisId axis) const { return strides_[axis.index()]; }

  std::string name_;
  std::vector<MeshAxis> axes_;
  std::vector<int64_t> strides_;
  std::vector<int64_t> device_order_;
  int64_t device_count_ = 1;
};

}  // namespace isoshard
