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
#include "core/import/stablehlo/lower/spread.h"
#include "core/import/stablehlo/lower/windows.h"

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
  const std::vector<Window> windows = windows_of(lowering, op, type.shape);
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

/// An element of all windows, and where it is in them.
struct Place {
  ValueId element;
  std::vector<int64_t> offsets;
};

/// All elements along one more dimension.
std::vector<Place> along_dimension(Lowering& lowering, const Operation& op, const std::vector<Place>& places,
                                   const Window& window, size_t d) {
  std::vector<Place> result;
  for (const Place& place : places) {
    for (int64_t k = 0; k < window.size; ++k) {
      const bool whole = window.size == 1 && window.stride == 1;
      result.push_back({whole ? place.element : element(lowering, op, place.element, window, d, k), place.offsets});
      result.back().offsets.push_back(k);
    }
  }
  return result;
}

/// What each window has for its element at `offsets`, where that is in an array of `shape`; 0 elsewhere.
ValueId put_back(Lowering& lowering, const Operation& op, ValueId x, const std::vector<Window>& windows,
                 const std::vector<int64_t>& offsets, const Shape& shape) {
  std::vector<int64_t> gaps;
  for (const Window& window : windows) gaps.push_back(window.stride - 1);
  const ValueId zero = lowering.splat(Rational(0), {lowering.builder().type(x).tensor.dtype, {}}, op);
  x = spread(lowering, op, x, zero, gaps);
  const Shape now = lowering.builder().type(x).tensor.shape;
  Pad pad;
  for (size_t d = 0; d < shape.size(); ++d) {
    pad.low.push_back(offsets[d] * windows[d].dilation);
    pad.high.push_back(shape[d] - now[d] - pad.low.back());
  }
  return lowering.append(std::move(pad), {x, zero}, op);
}

/// Whether a region says that the first of two elements stays: it is larger, or smaller, or they are equal.
std::optional<bool> keeps_larger(const Region& region) {
  if (region.arguments.size() != 2 || region.operations.size() != 2) return std::nullopt;
  const Operation &test = region.operations[0], &end = region.operations[1];
  const bool in_order = test.name == "stablehlo.compare" && test.operands.size() == 2 &&
                        test.operands[0].name == region.arguments[0].name &&
                        test.operands[1].name == region.arguments[1].name && end.operands.size() == 1 &&
                        end.operands[0].name == test.result;
  const std::string_view direction = test.enumerator("comparison_direction", 0);
  if (!in_order || (direction != "GE" && direction != "LE")) return std::nullopt;
  return direction == "GE";
}

/// For each element of the windows but the first, whether it is larger (or smaller) than all before it.
std::vector<ValueId> beats_those_before(Lowering& lowering, const Operation& op, const std::vector<Place>& places,
                                        bool larger) {
  std::vector<ValueId> result;
  ValueId best = places[0].element;
  for (size_t k = 1; k < places.size(); ++k) {
    const ValueId next = places[k].element;
    result.push_back(lowering.append(Compare{larger ? Direction::gt : Direction::lt}, {next, best}, op));
    best = lowering.append(elementwise_op(larger ? Reducer::max : Reducer::min), {best, next}, op);
  }
  return result;
}

/// The gradient of pooling by a maximum: each window gives its source to its largest element.
std::vector<Wire> select_and_scatter(Lowering& lowering, const Operation& op, Scope& scope) {
  constexpr size_t kMostElements = 256;
  if (op.operands.size() != 3 || op.regions.size() != 2) {
    lowering.fail("M-attribute", op, "a select_and_scatter without an operand, a source, a start and two regions");
  }
  const TensorType type = lowering.wire(op, 0, scope).type;
  const std::vector<Window> windows = windows_of(lowering, op, type.shape);
  const std::optional<bool> larger = keeps_larger(op.regions[0]);
  const ConstantArray* start = lowering.constant(op, 2, scope);
  const bool adds = start != nullptr && start->is_splat() && start->elements[0].is_zero() &&
                    reducer_of(op.regions[1]) == Reducer::add;
  const bool padded =
      std::any_of(windows.begin(), windows.end(), [](const Window& w) { return w.low != 0 || w.high != 0; });
  if (!larger || !adds || padded || !is_numeric(type.dtype)) {
    lowering.unsupported(op,
                         "a select_and_scatter that is not to add to 0 what the largest (GE) or smallest (LE) of "
                         "each window gets, in an array that is padded already");
  }
  std::vector<Place> places{Place{lowering.value(op, 0, scope), {}}};
  for (size_t d = 0; d < windows.size(); ++d) {
    if (windows[d].count(type.shape[d]) < 1) lowering.unsupported(op, "a window that is longer than its array");
    places = along_dimension(lowering, op, places, windows[d], d);
    if (places.size() > kMostElements) lowering.unsupported(op, "a select_and_scatter of more than 256 elements");
  }
  const std::vector<ValueId> beats = beats_those_before(lowering, op, places, *larger);
  ValueId rest = lowering.value(op, 1, scope);  // of the source, what no later element has got
  const TensorType of_source = lowering.builder().type(rest).tensor;
  if (of_source.shape != lowering.builder().type(places[0].element).tensor.shape) {
    lowering.fail("M-type", op, "a source " + to_string(of_source) + " that does not have one element for each window");
  }
  const ValueId zeros = lowering.splat(Rational(0), of_source, op);
  ValueId sum;
  for (size_t k = places.size(); k-- > 0;) {
    const ValueId given = k == 0 ? rest : lowering.append(Select{}, {beats[k - 1], rest, zeros}, op);
    if (k > 0) rest = lowering.append(Select{}, {beats[k - 1], zeros, rest}, op);
    const ValueId placed = put_back(lowering, op, given, windows, places[k].offsets, type.shape);
    sum = sum.valid() ? lowering.append(Add{}, {sum, placed}, op) : placed;
  }
  return {Wire{lowering.builder().type(sum).tensor, sum}};
}

}  // namespace

std::span<const NamedRule> window_rules() {
  static constexpr NamedRule kRules[] = {{"stablehlo.reduce_window", reduce_window},
                                         {"stablehlo.select_and_scatter", select_and_scatter}};
  return kRules;
}

}  // namespace isoshard::stablehlo
