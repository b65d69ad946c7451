// Windows as attributes, and their elements: the k-th of all windows along a dimension is a slice with the stride of
// the windows. Cost: the dimensions.
#include "core/import/stablehlo/idioms/windows.h"

#include <algorithm>
#include <utility>

#include "core/import/stablehlo/lower/attributes.h"

namespace isoshard::stablehlo {

std::vector<Window> windows_of(const Lowering& lowering, const Operation& op, const Shape& shape) {
  const std::vector<int64_t> sizes = integers(lowering, op, "window_dimensions");
  std::vector<Window> windows(sizes.size());
  const auto each = [&](std::string_view key) {
    std::vector<int64_t> numbers = find_integers(lowering, op, key).value_or(std::vector<int64_t>{1});
    numbers.resize(sizes.size(), numbers.size() == 1 ? numbers[0] : 1);
    return numbers;
  };
  const std::vector<int64_t> strides = each("window_strides"), dilations = each("window_dilations");
  std::vector<int64_t> padding = find_integers(lowering, op, "padding").value_or(std::vector<int64_t>{0});
  padding.resize(2 * sizes.size(), padding.size() == 1 ? padding[0] : 0);
  for (size_t d = 0; d < sizes.size(); ++d) {
    windows[d] = {sizes[d], strides[d], dilations[d], padding[2 * d], padding[2 * d + 1]};
    if (!windows[d].is_in_range()) {
      lowering.fail("M-attribute", op,
                    "a window whose size, stride or dilation is below 1, or one of whose numbers is 2^31 or more");
    }
  }
  if (windows.size() != shape.size()) {
    lowering.fail("M-attribute", op, "window_dimensions are not as many as the array has dimensions");
  }
  const std::vector<int64_t> bases = each("base_dilations");
  if (std::any_of(bases.begin(), bases.end(), [](int64_t base) { return base != 1; })) {
    lowering.unsupported(op, "a reduce_window with base_dilations");
  }
  return windows;
}

ValueId element(Lowering& lowering, const Operation& op, ValueId x, const Window& window, size_t d, int64_t k) {
  const Shape shape = lowering.builder().type(x).tensor.shape;
  Slice slice{std::vector<int64_t>(shape.size(), 0), shape, std::vector<int64_t>(shape.size(), 1)};
  slice.start[d] = k * window.dilation;
  slice.strides[d] = window.stride;
  slice.limit[d] = slice.start[d] + (window.count(shape[d]) - 1) * window.stride + 1;
  return lowering.append(std::move(slice), {x}, op);
}

}  // namespace isoshard::stablehlo
