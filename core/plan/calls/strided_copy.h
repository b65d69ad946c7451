#pragma once

#include <optional>
#include <vector>

#include "core/ir/types/type.h"
#include "core/plan/calls/kernels.h"

namespace isoshard::calls {

/// How an array lies in the memory of a rank: its first element, and how many elements neighbours along each dimension
/// are apart.
struct Layout {
  Place place = 0;
  DType dtype = DType::f32;
  std::vector<int64_t> stride{};
};

/// Row-major and without gaps.
Layout dense(Place place, DType dtype, const Shape& shape);

/// The part of `whole`, of shape `shape`, from `begin` on.
Layout part_of(Layout whole, const std::vector<int64_t>& begin);

/// A Map that reads what lies as `from` and writes it as `to`, both of `size`, in as few dimensions as that needs;
/// nothing where those are more than kMostDims.
std::optional<Map> strided_copy(const Shape& size, const Layout& from, const Layout& to);

}  // namespace isoshard::calls
