#pragma once

#include <cstdint>
#include <vector>

#include "core/import/stablehlo/lower/lowering.h"

namespace isoshard::stablehlo {

/// The windows along one dimension.
struct Window {
  int64_t size = 1, stride = 1, dilation = 1, low = 0, high = 0;

  bool is_trivial() const { return size == 1 && stride == 1 && low == 0 && high == 0; }
  /// Whether products of two of its numbers are far from the ends of int64_t.
  bool is_in_range() const {
    constexpr int64_t kEnd = int64_t{1} << 31;
    const auto positive = [](int64_t number) { return number >= 1 && number < kEnd; };
    return positive(size) && positive(stride) && positive(dilation) && low > -kEnd && low < kEnd && high > -kEnd &&
           high < kEnd;
  }
  /// How many there are over `length` elements, the padding among them.
  int64_t count(int64_t length) const {
    const int64_t span = (size - 1) * dilation + 1;
    return length < span ? 0 : (length - span) / stride + 1;
  }
};

/// The windows of an op along each dimension of its operand, of `shape`; an error where they do not fit it.
std::vector<Window> windows_of(const Lowering& lowering, const Operation& op, const Shape& shape);

/// Element k of all windows along dimension d.
ValueId element(Lowering& lowering, const Operation& op, ValueId x, const Window& window, size_t d, int64_t k);

/// The rule of `stablehlo.select_and_scatter`.
std::vector<Wire> select_and_scatter(Lowering& lowering, const Operation& op, Scope& scope);

}  // namespace isoshard::stablehlo
