// Blocks of arrays of the reference, as devices hold them. A placement is a start per device and dimension; where none
// is known, those that sizes allow are listed: whole, or split over an axis, or over two in either order. Elements are
// copied plane by plane, whatever the domain keeps of them. Cost: the elements of a block per device.
#include "verify/evidence/placement.h"

#include <algorithm>
#include <cstring>

#include "sim/value/new_value.h"
#include "verify/facts/block_rows.h"

namespace isoshard::verify {
namespace {

constexpr size_t kMostPlacements = 6;

using Axes = std::vector<AxisId>;

/// The axes, or ordered pairs of them, with `count` devices; one empty list for 1.
std::vector<Axes> splits(const Mesh& mesh, int64_t count) {
  if (count == 1) return {{}};
  std::vector<Axes> result;
  const size_t axes = mesh.axis_count();
  for (size_t a = 0; a < axes; ++a) {
    if (mesh.axes()[a].size == count) result.push_back({AxisId(a)});
  }
  for (size_t a = 0; a < axes; ++a) {
    for (size_t b = 0; b < axes; ++b) {
      const int64_t sizes = mesh.axes()[a].size * mesh.axes()[b].size;
      if (a != b && sizes == count && mesh.axes()[a].size > 1 && mesh.axes()[b].size > 1) {
        result.push_back({AxisId(a), AxisId(b)});
      }
    }
  }
  return result;
}

int64_t block_of(const Mesh& mesh, const Axes& axes, int64_t position) {
  int64_t block = 0;
  for (const AxisId axis : axes) block = block * mesh.axis(axis).size + mesh.coordinate(position, axis);
  return block;
}

/// Whether an axis splits two dimensions, which only leaves diagonals.
bool repeats_axis(const std::vector<Axes>& placement, const Axes& more) {
  return std::any_of(more.begin(), more.end(), [&](AxisId axis) {
    return std::any_of(placement.begin(), placement.end(),
                       [&](const Axes& used) { return std::find(used.begin(), used.end(), axis) != used.end(); });
  });
}

sim::Value block_at(const sim::Value& whole, const Shape& local, const std::vector<int64_t>& start) {
  const sim::NewValue block(TensorType{whole.type.dtype, local}, whole.storage);
  const size_t bytes = whole.storage.element_bytes;
  for (int64_t k = 0; k < block.size(); ++k) {
    std::vector<int64_t> index = unflatten(k, local);
    for (size_t d = 0; d < index.size(); ++d) index[d] += start[d];
    const size_t from = static_cast<size_t>(flatten(index, whole.type.shape)) * bytes;
    for (size_t plane = 0; plane < whole.storage.planes; ++plane) {
      std::memcpy(block.plane(plane) + static_cast<size_t>(k) * bytes,
                  whole.data.get() + plane * whole.plane_bytes() + from, bytes);
    }
  }
  return sim::NewValue(block).finish();
}

}  // namespace

std::vector<Starts> possible_starts(const Mesh& mesh, const Shape& local, const Shape& whole) {
  if (local.size() != whole.size()) return {};
  std::vector<std::vector<Axes>> placements{{}};
  for (size_t d = 0; d < local.size(); ++d) {
    if (local[d] <= 0 || whole[d] % local[d] != 0) return {};
    std::vector<std::vector<Axes>> next;
    for (const std::vector<Axes>& placement : placements) {
      for (const Axes& axes : splits(mesh, whole[d] / local[d])) {
        if (repeats_axis(placement, axes) || next.size() == kMostPlacements) continue;
        next.push_back(placement);
        next.back().push_back(axes);
      }
    }
    placements = std::move(next);
  }
  std::vector<Starts> result;
  for (const std::vector<Axes>& placement : placements) {
    Starts& starts = result.emplace_back();
    for (int64_t p = 0; p < mesh.device_count(); ++p) {
      std::vector<int64_t>& start = starts.emplace_back();
      for (size_t d = 0; d < local.size(); ++d) start.push_back(block_of(mesh, placement[d], p) * local[d]);
    }
  }
  return result;
}

std::optional<std::vector<sim::Value>> blocks_at(const sim::Value& whole, const Shape& local, const Starts& starts) {
  if (local.size() != whole.type.shape.size()) return std::nullopt;
  std::vector<sim::Value> result;
  for (const std::vector<int64_t>& start : starts) {
    for (size_t d = 0; d < local.size(); ++d) {
      if (start[d] < 0 || start[d] + local[d] > whole.type.shape[d]) return std::nullopt;
    }
    result.push_back(block_at(whole, local, start));
  }
  return result;
}

}  // namespace isoshard::verify
