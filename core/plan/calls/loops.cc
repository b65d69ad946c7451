// Joins the dimensions of a kernel. Kernels take a fixed number of dimensions, and each costs a division per element,
// while most arrays are gapless in most of theirs. Cost: dimensions times arrays.
#include "core/plan/calls/loops.h"

#include <algorithm>

namespace isoshard::calls {

std::vector<int64_t> row_major(const Shape& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) strides[d] = stride;
  return strides;
}

void Loops::add(int64_t size, const std::array<int64_t, kMostArrays>& stride) {
  if (size == 1) return;
  bool joins = !axes_.empty();
  for (size_t a = 0; joins && a < arrays_; ++a) joins = axes_.back().stride[a] == size * stride[a];
  if (joins) {
    axes_.back() = Axis{axes_.back().size * size, stride};
  } else {
    axes_.push_back(Axis{size, stride});
  }
}

int64_t Loops::count() const {
  int64_t count = 1;
  for (const Axis& axis : axes_) count *= axis.size;
  return count;
}

void Loops::put_sizes(int64_t* size) const {
  for (size_t d = 0; d < std::min<size_t>(axes_.size(), kMostDims); ++d) size[d] = axes_[d].size;
}

void Loops::put_strides(size_t array, int64_t* stride) const {
  for (size_t d = 0; d < std::min<size_t>(axes_.size(), kMostDims); ++d) stride[d] = axes_[d].stride[array];
}

}  // namespace isoshard::calls
