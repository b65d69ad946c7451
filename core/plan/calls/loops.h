#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/ir/types/type.h"
#include "core/plan/calls/kernels.h"

namespace isoshard::calls {

/// Distances of the elements of a row-major array along its dimensions.
std::vector<int64_t> row_major(const Shape& shape);

/// The dimensions that a kernel goes through, outermost first, with the strides of its arrays along each: those of size
/// 1 are left out, and neighbours that are one dimension to all arrays become one.
class Loops {
 public:
  static constexpr size_t kMostArrays = kMostInputs + 1;
  struct Axis {
    int64_t size = 1;
    std::array<int64_t, kMostArrays> stride{};
  };

  /// Of so many arrays.
  explicit Loops(size_t arrays) : arrays_(arrays) {}
  /// Adds a dimension inside of those before; a stride for each array.
  void add(int64_t size, const std::array<int64_t, kMostArrays>& stride);

  const std::vector<Axis>& axes() const { return axes_; }
  bool fits() const { return axes_.size() <= kMostDims; }
  int32_t dims() const { return static_cast<int32_t>(axes_.size()); }
  /// The number of indices.
  int64_t count() const;
  /// Writes sizes, or the strides of an array, where they fit.
  void put_sizes(int64_t* size) const;
  void put_strides(size_t array, int64_t* stride) const;

 private:
  size_t arrays_;
  std::vector<Axis> axes_;
};

}  // namespace isoshard::calls
