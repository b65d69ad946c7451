// Turns shape and reduced dimensions into few strides: neighbouring dimensions of one kind become one axis, since loops
// over one long axis are the fast ones. What is summed first depends on the shape alone, never on threads or
// instruction sets. Cost: one pass over the dimensions.

#include "core/support/check.h"
#include "sim/kernels/reduce.h"

namespace isoshard::sim {
namespace {

/// Puts a dimension before (outside of) the axes found so far, or joins it to the outermost one where memory allows.
void prepend(std::vector<ReducePlan::Axis>& axes, std::int64_t size, std::int64_t stride) {
  if (!axes.empty() && axes.front().stride * axes.front().size == stride) {
    axes.front().size *= size;
  } else {
    axes.insert(axes.begin(), ReducePlan::Axis{size, stride});
  }
}

}  // namespace

ReducePlan::ReducePlan(std::span<const std::int64_t> shape, std::span<const std::int64_t> dims) {
  std::vector<bool> reduce(shape.size(), false);
  for (const std::int64_t dim : dims) {
    ISOSHARD_CHECK(dim >= 0 && dim < static_cast<std::int64_t>(shape.size()), "a reduced dimension does not exist");
    ISOSHARD_CHECK(!reduce[static_cast<std::size_t>(dim)], "a dimension is reduced twice");
    reduce[static_cast<std::size_t>(dim)] = true;
  }
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const std::int64_t size = shape[d];
    ISOSHARD_CHECK(size >= 0, "a negative dimension");
    (reduce[d] ? count_ : output_size_) *= size;
    if (size == 1) continue;
    if (kept_.empty() && reduced_.empty()) innermost_reduced_ = reduce[d];
    prepend(reduce[d] ? reduced_ : kept_, size, stride);
    stride *= size;
  }
}

}  // namespace isoshard::sim
