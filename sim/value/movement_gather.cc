// Copies elements from any strides to row-major order: transposes, broadcasts, slices and reversals are all such
// copies. Dimensions that can be counted with one stride are joined first, so that loops are few and long. The
// innermost loop is a memcpy where elements are adjacent; where the source runs along the outer of the two last axes,
// both are transposed in registers, or where it does so by steps walked in tiles of 32 x 32, so that neither side
// leaves the first cache. Elements are copied as words of 1, 2, 4 or 8 bytes. Cost: one pass over the result.
#include "sim/value/movement_gather.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/support/check.h"
#include "sim/kernels/transpose.h"

namespace isoshard::sim {

GatherPlan::GatherPlan(const Shape& shape, std::span<const int64_t> strides) {
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    if (!axes_.empty() && axes_.back().stride == strides[d] * shape[d]) {
      axes_.back() = Axis{axes_.back().size * shape[d], strides[d], 0};
    } else {
      axes_.push_back(Axis{shape[d], strides[d], 0});
    }
  }
  if (axes_.empty()) axes_.push_back(Axis{1, 1, 0});
  int64_t step = 1;
  for (size_t d = axes_.size(); d-- > 0; step *= axes_[d].size) axes_[d].step = step;
}

/// The two innermost axes where the source runs along the outer one: by tiles, so that both sides stay in cache.
template <class T>
void GatherPlan::walk_tiles(const T* from, T* to) const {
  constexpr int64_t kTile = 32;
  const Axis& outer = axes_[axes_.size() - 2];
  const Axis& inner = axes_.back();
  if (outer.stride == 1) {
    return transpose_words(best_isa(), outer.size, inner.size, from, inner.stride, to, outer.step);
  }
  for (int64_t i0 = 0; i0 < outer.size; i0 += kTile) {
    for (int64_t j0 = 0; j0 < inner.size; j0 += kTile) {
      for (int64_t i = i0; i < std::min(i0 + kTile, outer.size); ++i) {
        for (int64_t j = j0; j < std::min(j0 + kTile, inner.size); ++j) {
          to[i * outer.step + j] = from[i * outer.stride + j * inner.stride];
        }
      }
    }
  }
}

template <class T>
void GatherPlan::walk(size_t axis, const T* from, T* to) const {
  const Axis& a = axes_[axis];
  if (axis + 2 == axes_.size() && a.stride != 0 && std::abs(axes_.back().stride) > std::abs(a.stride)) {
    return walk_tiles(from, to);
  }
  if (axis + 1 < axes_.size()) {
    for (int64_t i = 0; i < a.size; ++i) walk(axis + 1, from + i * a.stride, to + i * a.step);
  } else if (a.stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(a.size) * sizeof(T));
  } else {
    for (int64_t i = 0; i < a.size; ++i) to[i] = from[i * a.stride];
  }
}

void GatherPlan::run(size_t element_bytes, const std::byte* from, std::byte* to) const {
  if (element_bytes == 1) return walk(0, reinterpret_cast<const uint8_t*>(from), reinterpret_cast<uint8_t*>(to));
  if (element_bytes == 2) return walk(0, reinterpret_cast<const uint16_t*>(from), reinterpret_cast<uint16_t*>(to));
  if (element_bytes == 4) return walk(0, reinterpret_cast<const uint32_t*>(from), reinterpret_cast<uint32_t*>(to));
  ISOSHARD_CHECK(element_bytes == 8, "elements have 1, 2, 4 or 8 bytes");
  walk(0, reinterpret_cast<const uint64_t*>(from), reinterpret_cast<uint64_t*>(to));
}

}  // namespace isoshard::sim
