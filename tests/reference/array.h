#pragma once

#include <gmpxx.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/types/type.h"

/// A tree-walking interpreter of Programs for tests: as plain as possible, index by index, on doubles (with or
/// without their errors) or on exact rationals. It shares no code with sim and verify, so that it can be their judge.
namespace isoshard::reference {

/// Thrown for what exact rationals cannot say (exp, nan, x/0), and for what no program may do.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown where an assert_equal does not hold.
struct AssertFailed : Unsupported {
  using Unsupported::Unsupported;
};

using Index = std::vector<int64_t>;

/// An element: `x` of float dtypes, `i` of all others.
template <class T>
struct Element {
  T x{};
  int64_t i = 0;
  bool operator==(const Element&) const = default;
};

/// What one device holds.
template <class T>
struct Array {
  TensorType type;
  std::vector<Element<T>> elements;  ///< row-major

  size_t flat(const Index& index) const {
    int64_t result = 0;
    for (size_t d = 0; d < index.size(); ++d) result = result * type.shape[d] + index[d];
    return static_cast<size_t>(result);
  }
  const Element<T>& at(const Index& index) const { return elements[flat(index)]; }
  Element<T>& at(const Index& index) { return elements[flat(index)]; }
  bool operator==(const Array&) const = default;
};

/// Calls `use(index)` for each index of `shape` in row-major order.
template <class Use>
void for_each_index(const Shape& shape, const Use& use) {
  Index index(shape.size(), 0);
  for (int64_t n = element_count(shape); n > 0; --n) {
    use(std::as_const(index));
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

/// The array whose element at each index is `element(index)`.
template <class T, class Make>
Array<T> make_array(TensorType type, const Make& element) {
  Array<T> result{std::move(type), {}};
  for_each_index(result.type.shape, [&](const Index& index) { result.elements.push_back(element(index)); });
  return result;
}

/// Wide enough for a product of two 64-bit integers.
__extension__ using Wide = __int128;

/// An element that is no float as the number that it is: `i` has the 64 bits of a u64.
inline Wide number_of(int64_t i, DType dtype) { return dtype == DType::u64 ? Wide{static_cast<uint64_t>(i)} : Wide{i}; }

/// `value` as dtype: integers wrap around.
inline int64_t wrapped(Wide value, DType dtype) {
  if (dtype == DType::i8) return static_cast<int8_t>(value);
  if (dtype == DType::u8) return static_cast<uint8_t>(value);
  if (dtype == DType::i32) return static_cast<int32_t>(value);
  if (dtype == DType::u32) return static_cast<uint32_t>(value);
  return static_cast<int64_t>(value);
}

}  // namespace isoshard::reference
