// Copies between layouts. Dimensions of size 1 are left out, and neighbours that lie behind each other on both sides
// become one, so that a copy of a block is a few long rows and a copy of all is one. Cost: the number of dimensions.
#include "core/plan/calls/strided_copy.h"

#include <cstddef>
#include <utility>

namespace isoshard::calls {
namespace {

struct Dim {
  int64_t size, from, to;
};

/// Numbers that hold all of a dtype.
Compute compute_of(DType dtype) {
  if (is_float(dtype)) return dtype == DType::f64 ? Compute::f64 : Compute::f32;
  return dtype == DType::u64 || dtype == DType::key ? Compute::u64 : Compute::i64;
}

std::vector<Dim> joined(const Shape& size, const Layout& from, const Layout& to) {
  std::vector<Dim> dims;
  for (size_t d = 0; d < size.size(); ++d) {
    if (size[d] == 1) continue;
    const Dim dim{size[d], from.stride[d], to.stride[d]};
    if (!dims.empty() && dims.back().from == dim.from * dim.size && dims.back().to == dim.to * dim.size) {
      dims.back() = {dims.back().size * dim.size, dim.from, dim.to};
    } else {
      dims.push_back(dim);
    }
  }
  if (dims.empty()) dims.push_back({1, 1, 1});
  return dims;
}

}  // namespace

Layout dense(Place place, DType dtype, const Shape& shape) {
  Layout layout{place, dtype, std::vector<int64_t>(shape.size(), 1)};
  for (size_t d = shape.size(); d-- > 1;) layout.stride[d - 1] = layout.stride[d] * shape[d];
  return layout;
}

Layout part_of(Layout whole, const std::vector<int64_t>& begin) {
  int64_t elements = 0;
  for (size_t d = 0; d < begin.size(); ++d) elements += begin[d] * whole.stride[d];
  whole.place += elements * static_cast<int64_t>(info(whole.dtype).bytes);
  return whole;
}

std::optional<Map> strided_copy(const Shape& size, const Layout& from, const Layout& to) {
  const std::vector<Dim> dims = joined(size, from, to);
  if (dims.size() > kMostDims) return std::nullopt;
  Map map;
  map.dims = static_cast<int32_t>(dims.size());
  map.inputs_used = 1;
  map.steps_used = 1;
  map.steps[0].b.from = From::input;
  map.compute = compute_of(from.dtype);
  map.inputs[0].place = from.place;
  map.inputs[0].dtype = from.dtype;
  map.output.place = to.place;
  map.output.dtype = to.dtype;
  for (size_t d = 0; d < dims.size(); ++d) {
    map.size[d] = dims[d].size;
    map.inputs[0].stride[d] = dims[d].from;
    map.output.stride[d] = dims[d].to;
  }
  return map;
}

}  // namespace isoshard::calls
