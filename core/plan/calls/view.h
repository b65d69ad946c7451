#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/calls/held.h"

namespace isoshard::calls {

/// An array as a kernel sees it along dimensions that are said with it.
struct View {
  Place place = 0;
  DType dtype = DType::f32;
  std::vector<int64_t> strides;  ///< in elements
  bool operator==(const View&) const = default;
};
/// All of a value.
View view_of(const Held& held);
/// The same element again and again along `dims` dimensions.
View repeated(const Held& scalar, size_t dims);
/// `view` from the element that is `elements` behind its first.
View moved(View view, int64_t elements);

/// Bytes of a rank's memory, from the first to before the end.
struct Extent {
  Place begin = 0, end = 0;
  bool overlaps(const Extent& other) const { return begin < other.end && other.begin < end; }
};
/// All bytes between the first and the last element of an array of at least one element.
Extent extent_of(const View& view, const Shape& shape);

}  // namespace isoshard::calls
