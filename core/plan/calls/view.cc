// Where the elements of arrays are. Cost: dimensions.
#include "core/plan/calls/view.h"

#include "core/plan/calls/loops.h"

namespace isoshard::calls {

View view_of(const Held& held) { return {held.place, held.type->dtype, row_major(held.type->shape)}; }

View repeated(const Held& scalar, size_t dims) {
  return {scalar.place, scalar.type->dtype, std::vector<int64_t>(dims, 0)};
}

View moved(View view, int64_t elements) {
  view.place += elements * static_cast<int64_t>(info(view.dtype).bytes);
  return view;
}

Extent extent_of(const View& view, const Shape& shape) {
  int64_t first = 0, last = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t reach = view.strides[d] * (shape[d] - 1);
    (reach < 0 ? first : last) += reach;
  }
  const auto bytes = static_cast<int64_t>(info(view.dtype).bytes);
  return {view.place + first * bytes, view.place + (last + 1) * bytes};
}

}  // namespace isoshard::calls
