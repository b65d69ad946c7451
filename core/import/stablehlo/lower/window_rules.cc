// Windows that move over an array: running sums, and pooling. A window that is as long as its dimension is a running
// sum or difference of ends; any other is padded with what changes nothing and becomes strided slices that are put
// together one dimension after another, as in lower_convolution.cc. Cost: the lengths of the windows, added up, in ops.
#include <algorithm>
#include <numeric>
#include <utility>

#include "core/import/stablehlo/lower/attributes.h"
#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/reducers.h"
#include "core/import/stablehlo/lower/rules.h"

namespace isoshard::stablehlo {
namespace {

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

std::vector<Window> windows_of(Lowering& lowering, const Operation& op) {
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
  const std::vector<int64_t> bases = each("base_dilations");
  if (std::any_of(bases.begin(), bases.end(), [](int64_t base) { return base != 1; })) {
    lowering.unsupported(op, "a reduce_window with base_dilations");
  }
  return windows;
}

/// The dimension along which windows of all elements up to each, or from each on, are added up.
std::optional<size_t> running_dim(const std::vector<Window>& windows, const Shape& shape) {
  std::optional<size_t> along;
  for (size_t d = 0; d < windows.size(); ++d) {
    const Window& w = windows[d];
    if (w.is_trivial()) continue;
    const bool running = w.stride == 1 && w.dilation == 1 && w.size == shape[d] && w.low + w.high == w.size - 1 &&
                         (w.low == 0 || w.high == 0);
    if (along || !running) return std::nullopt;
    along = d;
  }
  return along;
}

std::vector<Wire> running_sum(Lowering& lowering, const Operation& op, ValueId x, const Window& window, size_t along) {
  const auto dim = static_cast<int64_t>(along);
  if (window.low != 0) return {lowering.emit(Cumsum{dim}, {x}, op)};
  const ValueId backwards = lowering.append(Cumsum{dim}, {lowering.append(Reverse{{dim}}, {x}, op)}, op);
  return {lowering.emit(Reverse{{dim}}, {backwards}, op)};
}

ValueId padded(Lowering& lowering, const Operation& op, ValueId x, const std::vector<Window>& windows,
               const Rational& neutral) {
  Pad pad;
  bool any = false;
  for (const Window& w : windows) {
    if (w.low < 0 || w.high < 0) lowering.unsupported(op, "a reduce_window with negative padding");
    pad.low.push_back(w.low);
    pad.high.push_back(w.high);
    any = any || w.low != 0 || w.high != 0;
  }
  if (!any) return x;
  const ValueId around = lowering.splat(neutral, TensorType{lowering.builder().type(x).tensor.dtype, {}}, op);
  return lowering.append(std::move(pad), {x, around}, op);
}

/// Element k of all windows along dimension d.
ValueId element(Lowering& lowering, const Operation& op, ValueId x, const Window& window, size_t d, int64_t k) {
  const Shape shape = lowering.builder().type(x).tensor.shape;
  Slice slice{std::vector<int64_t>(shape.size(), 0), shape, std::vector<int64_t>(shape.size(), 1)};
  slice.start[d] = k * window.dilation;
  slice.strides[d] = window.stride;
  slice.limit[d] = slice.start[d] + (window.count(shape[d]) - 1) * window.stride + 1;
  return lowering.append(std::move(slice), {x}, op);
}

std::vector<Wire> pooled(Lowering& lowering, const Operation& op, ValueId x, const std::vector<Window>& windows,
                         Reducer reducer) {
  constexpr int64_t kMostElements = 4096;
  int64_t elements = 0;
  for (const Window& w : windows) elements += w.size;
  if (elements > kMostElements)
    lowering.unsupported(op, "a reduce_window of more than 4096 elements that is no running sum");
  x = padded(lowering, op, x, windows, neutral_of(reducer, lowering.builder().type(x).tensor.dtype));
  for (size_t d = 0; d < windows.size(); ++d) {
    const int64_t length = lowering.builder().type(x).tensor.shape[d];
    if (windows[d].size == 1 && windows[d].stride == 1) continue;
    if (windows[d].count(length) < 1) lowering.unsupported(op, "a reduce_window that is longer than its array");
    ValueId sum = element(lowering, op, x, windows[d], d, 0);
    for (int64_t k = 1; k < windows[d].size; ++k) {
      sum = lowering.append(elementwise_op(reducer), {sum, element(lowering, op, x, windows[d], d, k)}, op);
    }
    x = sum;
  }
  return {Wire{lowering.builder().type(x).tensor, x}};
}

std::vector<Wire> reduce_window(Lowering& lowering, const Operation& op, Scope& scope) {
  if (op.operands.size() != 2) lowering.unsupported(op, "a reduce_window of several arrays");
  const TensorType& type = lowering.wire(op, 0, scope).type;
  const std::vector<Window> windows = windows_of(lowering, op);
  if (windows.size() != type.shape.size()) {
    lowering.fail("M-attribute", op, "window_dimensions are not as many as the array has dimensions");
  }
  const Reducer reducer = op.regions.empty() ? Reducer::none : reducer_for(reducer_of(op.regions[0]), type.dtype);
  const ConstantArray* initial = lowering.constant(op, 1, scope);
  const bool neutral =
      initial != nullptr && initial->is_splat() && initial->elements[0] == neutral_of(reducer, type.dtype);
  if (reducer == Reducer::none || !neutral || !is_numeric(type.dtype)) {
    lowering.unsupported(op, "a reduce_window that does not begin with what its reducer leaves as it is");
  }
  const ValueId x = lowering.value(op, 0, scope);
  const std::optional<size_t> along = running_dim(windows, type.shape);
  if (along && reducer == Reducer::add) return running_sum(lowering, op, x, windows[*along], *along);
  return pooled(lowering, op, x, windows, reducer);
}

}  // namespace

std::span<const NamedRule> window_rules() {
  static constexpr NamedRule kRules[] = {{"stablehlo.reduce_window", reduce_window}};
  return kRules;
}

}  // namespace isoshard::stablehlo
