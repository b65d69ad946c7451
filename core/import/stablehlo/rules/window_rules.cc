// Windows that move over an array: running sums, and pooling. A window that is as long as its dimension is a running
// sum or difference of ends; any other is padded with what changes nothing and becomes strided slices that are put
// together one dimension after another, as in lower_convolution.cc. To a maximum the first and the last element change
// nothing either, where they are in the window anyway: so there is no infinity, of which proofs know less. Cost: the
// lengths of the windows, added up, in ops.
#include <algorithm>
#include <numeric>
#include <utility>

#include "core/import/stablehlo/idioms/log_of_sum.h"
#include "core/import/stablehlo/idioms/reducers.h"
#include "core/import/stablehlo/idioms/windows.h"
#include "core/import/stablehlo/lower/attributes.h"
#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/rules.h"

namespace isoshard::stablehlo {
namespace {

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

/// Sums of XLA begin with +0, so that there is no -0 among them.
Wire from_0(Lowering& lowering, const Operation& op, ValueId sum) {
  const TensorType type = lowering.builder().type(sum).tensor;
  if (!is_float(type.dtype)) return Wire{type, sum};
  return lowering.emit(Add{}, {sum, lowering.splat(Rational(0), type, op)}, op);
}

std::vector<Wire> running_sum(Lowering& lowering, const Operation& op, ValueId x, const Window& window, size_t along) {
  const auto dim = static_cast<int64_t>(along);
  if (window.low != 0) return {from_0(lowering, op, lowering.append(Cumsum{dim}, {x}, op))};
  const ValueId backwards = lowering.append(Cumsum{dim}, {lowering.append(Reverse{{dim}}, {x}, op)}, op);
  return {from_0(lowering, op, lowering.append(Reverse{{dim}}, {backwards}, op))};
}

/// The elements of x from `begin` to before `end` along a dimension.
ValueId part(Lowering& lowering, const Operation& op, ValueId x, size_t along, int64_t begin, int64_t end) {
  const Shape shape = lowering.builder().type(x).tensor.shape;
  Slice slice{std::vector<int64_t>(shape.size()), shape, {}};
  slice.start[along] = begin;
  slice.limit[along] = end;
  return lowering.append(slice, {x}, op);
}

/// jnp.logaddexp of all elements up to each, lax.cumlogsumexp: of the last 2, 4, 8, ... as far as there are so many.
/// The logarithm of a running sum of exponentials would overflow where that does not.
std::vector<Wire> running_log(Lowering& lowering, const Operation& op, ValueId x, const Window& window, size_t along) {
  const auto dim = static_cast<int64_t>(along);
  const TensorType type = lowering.builder().type(x).tensor;
  const int64_t length = type.shape[along];
  const auto turned = [&](ValueId y) { return window.low != 0 ? y : lowering.append(Reverse{{dim}}, {y}, op); };
  ValueId sums = turned(x);
  for (int64_t of = 1; of < length; of *= 2) {
    const ValueId before = part(lowering, op, sums, along, 0, length - of);
    const ValueId sum = log_of_sum(lowering, before, part(lowering, op, sums, along, of, length), op);
    sums = lowering.append(Concatenate{dim}, {part(lowering, op, sums, along, 0, of), sum}, op);
  }
  return {Wire{type, turned(sums)}};
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

/// `count` times the element of x at `place` along dimension d, side by side.
ValueId repeated_slice(Lowering& lowering, const Operation& op, ValueId x, size_t d, int64_t place, int64_t count) {
  const Shape shape = lowering.builder().type(x).tensor.shape;
  Slice one{std::vector<int64_t>(shape.size()), shape, {}};
  one.start[d] = place;
  one.limit[d] = place + 1;
  Shape without = shape, repeated = shape;
  without.erase(without.begin() + static_cast<ptrdiff_t>(d));
  repeated[d] = count;
  std::vector<int64_t> dims;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i != d) dims.push_back(static_cast<int64_t>(i));
  }
  const ValueId slice = lowering.append(Reshape{without}, {lowering.append(one, {x}, op)}, op);
  return lowering.append(BroadcastInDim{dims, repeated}, {slice}, op);
}

/// Whether each window has the first or the last element of the array where it has padding on that side.
bool covers_ends(const Window& w) { return w.dilation == 1 && w.low < w.size && w.high < w.size; }

/// x with its ends in place of padding.
ValueId with_ends(Lowering& lowering, const Operation& op, ValueId x, const Window& w, size_t d) {
  if (w.low == 0 && w.high == 0) return x;
  std::vector<ValueId> parts{x};
  if (w.low > 0) parts.insert(parts.begin(), repeated_slice(lowering, op, x, d, 0, w.low));
  const int64_t last = lowering.builder().type(x).tensor.shape[d] - 1;
  if (w.high > 0) parts.push_back(repeated_slice(lowering, op, x, d, last, w.high));
  return lowering.append(Concatenate{static_cast<int64_t>(d)}, std::move(parts), op);
}

std::vector<Wire> pooled(Lowering& lowering, const Operation& op, ValueId x, const std::vector<Window>& windows,
                         Reducer reducer) {
  constexpr int64_t kMostElements = 4096;
  int64_t elements = 0;
  for (const Window& w : windows) elements += w.size;
  if (elements > kMostElements)
    lowering.unsupported(op, "a reduce_window of more than 4096 elements that is no running sum");
  const Shape& whole = lowering.builder().type(x).tensor.shape;
  const bool by_ends = (reducer == Reducer::max || reducer == Reducer::min) &&
                       std::all_of(windows.begin(), windows.end(), covers_ends) &&
                       std::all_of(whole.begin(), whole.end(), [](int64_t size) { return size > 0; });
  if (!by_ends) x = padded(lowering, op, x, windows, neutral_of(reducer, lowering.builder().type(x).tensor.dtype));
  for (size_t d = 0; d < windows.size(); ++d) {
    if (by_ends) x = with_ends(lowering, op, x, windows[d], d);
    const int64_t length = lowering.builder().type(x).tensor.shape[d];
    if (windows[d].size == 1 && windows[d].stride == 1) continue;
    if (windows[d].count(length) < 1) lowering.unsupported(op, "a reduce_window that is longer than its array");
    ValueId sum = element(lowering, op, x, windows[d], d, 0);
    for (int64_t k = 1; k < windows[d].size; ++k) {
      sum = lowering.append(elementwise_op(reducer), {sum, element(lowering, op, x, windows[d], d, k)}, op);
    }
    x = sum;
  }
  if (reducer == Reducer::add) return {from_0(lowering, op, x)};
  return {Wire{lowering.builder().type(x).tensor, x}};
}

std::vector<Wire> reduce_window(Lowering& lowering, const Operation& op, Scope& scope) {
  if (op.operands.size() != 2) lowering.unsupported(op, "a reduce_window of several arrays");
  const TensorType& type = lowering.wire(op, 0, scope).type;
  const std::vector<Window> windows = windows_of(lowering, op, type.shape);
  const Reducer reducer = op.regions.empty() ? Reducer::none : reducer_for(reducer_of(op.regions[0]), type.dtype);
  const ConstantArray* initial = lowering.constant(op, 1, scope);
  const std::optional<size_t> along = running_dim(windows, type.shape);
  const bool from_none = initial != nullptr && initial->is_splat() && initial->elements[0] == Rational::infinity(true);
  if (along && from_none && !op.regions.empty() && is_log_of_sum(op.regions[0])) {
    return running_log(lowering, op, lowering.value(op, 0, scope), windows[*along], *along);
  }
  const bool neutral =
      initial != nullptr && initial->is_splat() && initial->elements[0] == neutral_of(reducer, type.dtype);
  if (reducer == Reducer::none || !neutral || !is_numeric(type.dtype)) {
    lowering.unsupported(op, "a reduce_window that does not begin with what its reducer leaves as it is");
  }
  const ValueId x = lowering.value(op, 0, scope);
  if (along && reducer == Reducer::add) return running_sum(lowering, op, x, windows[*along], *along);
  return pooled(lowering, op, x, windows, reducer);
}

}  // namespace

std::span<const NamedRule> window_rules() {
  static constexpr NamedRule kRules[] = {{"stablehlo.reduce_window", reduce_window},
                                         {"stablehlo.select_and_scatter", select_and_scatter}};
  return kRules;
}

}  // namespace isoshard::stablehlo
