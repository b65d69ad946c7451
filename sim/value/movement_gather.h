#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/value/tensor.h"

namespace isoshard::sim {

/// How to fill a row-major array from a strided source: element [i0, i1, …] comes from offset Σ i_d · stride_d.
/// Neighbouring dimensions that are one walk through the source are merged.
class GatherPlan {
 public:
  /// `strides` in elements of the source, one per dimension of `shape`; 0 repeats, negative ones walk back. No size may
  /// be 0.
  GatherPlan(const Shape& shape, std::span<const int64_t> strides);
  /// Elements of 1, 2, 4 or 8 bytes; the ranges must not overlap.
  void run(size_t element_bytes, const std::byte* from, std::byte* to) const;

 private:
  struct Axis {
    int64_t size;
    int64_t stride;  ///< in the source
    int64_t step;    ///< in the result
  };
  template <class T>
  void walk(size_t axis, const T* from, T* to) const;
  template <class T>
  void walk_tiles(const T* from, T* to) const;

  std::vector<Axis> axes_;  ///< outermost first; at least one
};

}  // namespace isoshard::sim
