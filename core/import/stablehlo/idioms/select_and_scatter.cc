// The gradient of pooling by a maximum: each window gives its source to the first of its largest elements. As XLA has
// it, elements come one after another, and one that is larger than the largest so far takes its place; so of the source
// the last such element gets all. Elements are strided slices, and what they get is spread and padded back. Padding
// with infinities, which proofs know less of, is told from elements by constants. Cost: the elements of a window times
// a few ops.
#include <algorithm>
#include <memory>
#include <utility>

#include "core/import/stablehlo/idioms/reducers.h"
#include "core/import/stablehlo/idioms/spread.h"
#include "core/import/stablehlo/idioms/windows.h"
#include "core/import/stablehlo/lower/lowering.h"

namespace isoshard::stablehlo {
namespace {

/// An element of all windows, where it is in them, and which windows have it inside of the array; all where that is not
/// valid.
struct Place {
  ValueId element;
  std::vector<int64_t> offsets{};
  ValueId inside{};
};

/// Whether a region says that the first of two elements stays: it is larger, or smaller, or they are equal.
std::optional<bool> keeps_larger(const Region& region) {
  if (region.arguments.size() != 2 || region.operations.size() != 2) return std::nullopt;
  const Operation &test = region.operations[0], &end = region.operations[1];
  const bool in_order = test.name == "stablehlo.compare" && test.operands.size() == 2 &&
                        test.operands[0].name == region.arguments[0].name &&
                        test.operands[1].name == region.arguments[1].name && end.operands.size() == 1 &&
                        end.operands[0].name == test.result;
  const std::string_view direction = test.enumerator("comparison_direction", 0);
  const bool total = test.enumerator("compare_type", 1) == "TOTALORDER";
  if (!in_order || total || (direction != "GE" && direction != "LE")) return std::nullopt;
  return direction == "GE";
}

class SelectAndScatter {
 public:
  SelectAndScatter(Lowering& lowering, const Operation& op, Scope& scope)
      : lowering_(lowering), op_(op), shape_(lowering.wire(op, 0, scope).type.shape) {
    if (op.operands.size() != 3 || op.regions.size() != 2) {
      lowering.fail("M-attribute", op, "a select_and_scatter without an operand, a source, a start and two regions");
    }
    windows_ = windows_of(lowering, op, shape_);
    larger_ = keeps_larger(op.regions[0]);
    const ConstantArray* start = lowering.constant(op, 2, scope);
    const bool adds = start != nullptr && start->is_splat() && start->elements[0].is_zero() &&
                      reducer_of(op.regions[1]) == Reducer::add;
    const auto pads = [](const Window& w) { return w.low != 0 || w.high != 0; };
    const bool padded = std::any_of(windows_.begin(), windows_.end(), pads);
    if (!larger_ || !adds || padded || !is_numeric(lowering.wire(op, 0, scope).type.dtype)) {
      lowering.unsupported(op,
                           "a select_and_scatter that is not to add to 0 what the largest (GE) or smallest (LE) of "
                           "each window gets, in an array that is padded already");
    }
    add_places(scope);
  }

  ValueId run(ValueId rest) {  // of the source, what no later element has got
    const TensorType source = lowering_.builder().type(rest).tensor;
    if (source.shape != lowering_.builder().type(places_[0].element).tensor.shape) {
      lowering_.fail("M-type", op_,
                     "a source " + to_string(source) + " that does not have one element for each window");
    }
    const std::vector<ValueId> beats = beats_those_before();
    const ValueId zeros = lowering_.splat(Rational(0), source, op_);
    ValueId sum;
    for (size_t k = places_.size(); k-- > 0;) {
      const ValueId given = k == 0 ? rest : append(Select{}, {beats[k], rest, zeros});
      if (k > 0) rest = append(Select{}, {beats[k], zeros, rest});
      const ValueId placed = put_back(given, places_[k].offsets);
      sum = sum.valid() ? append(Add{}, {sum, placed}) : placed;
    }
    return sum;
  }

 private:
  ValueId append(OpData data, std::vector<ValueId> operands) {
    return lowering_.append(std::move(data), std::move(operands), op_);
  }

  void add_places(Scope& scope) {
    constexpr size_t kMostElements = 256;
    const Wire& wire = lowering_.wire(op_, 0, scope);
    if (wire.padding && wire.padding->negative == *larger_) padding_ = wire.padding;
    places_ = {Place{padding_ ? padded_with_0() : lowering_.value(op_, 0, scope)}};
    for (size_t d = 0; d < windows_.size(); ++d) {
      if (windows_[d].count(shape_[d]) < 1) lowering_.unsupported(op_, "a window that is longer than its array");
      places_ = along_dimension(d);
      if (places_.size() > kMostElements) lowering_.unsupported(op_, "a select_and_scatter of more than 256 elements");
    }
    for (Place& place : places_) place.inside = inside(place.offsets);
  }

  ValueId padded_with_0() {
    const TensorType type = lowering_.builder().type(padding_->inside).tensor;
    Pad pad{padding_->low, {}};
    for (size_t d = 0; d < shape_.size(); ++d) pad.high.push_back(shape_[d] - type.shape[d] - pad.low[d]);
    return append(std::move(pad), {padding_->inside, lowering_.splat(Rational(0), {type.dtype, {}}, op_)});
  }

  /// All places along one more dimension.
  std::vector<Place> along_dimension(size_t d) {
    std::vector<Place> result;
    for (const Place& place : places_) {
      for (int64_t k = 0; k < windows_[d].size; ++k) {
        const bool whole = windows_[d].size == 1 && windows_[d].stride == 1;
        result.push_back(
            {whole ? place.element : element(lowering_, op_, place.element, windows_[d], d, k), place.offsets});
        result.back().offsets.push_back(k);
      }
    }
    return result;
  }

  /// Which windows have their element at `offsets` inside of the array that is padded; not valid where all have.
  ValueId inside(const std::vector<int64_t>& offsets) {
    ValueId all;
    for (size_t d = 0; padding_ && d < offsets.size(); ++d) {
      const Shape windows = lowering_.builder().type(places_[0].element).tensor.shape;
      const int64_t begin = padding_->low[d];
      const int64_t end = begin + lowering_.builder().type(padding_->inside).tensor.shape[d];
      ConstantArray along{{DType::pred, {windows[d]}}, {}};
      bool any_outside = false;
      for (int64_t i = 0; i < windows[d]; ++i) {
        const int64_t place = i * windows_[d].stride + offsets[d] * windows_[d].dilation;
        along.elements.emplace_back(place >= begin && place < end ? 1 : 0);
        any_outside = any_outside || along.elements.back().is_zero();
      }
      if (!any_outside) continue;
      const Wire constant{along.type, {}, std::make_shared<const ConstantArray>(std::move(along))};
      const ValueId wide = append(BroadcastInDim{{static_cast<int64_t>(d)}, windows}, {lowering_.value(constant, op_)});
      all = all.valid() ? append(And{}, {all, wide}) : wide;
    }
    return all;
  }

  /// For each place but the first, whether its element is larger (or smaller) than all before it. What is outside is
  /// none, and beats none.
  std::vector<ValueId> beats_those_before() {
    std::vector<ValueId> result{ValueId()};
    ValueId best = places_[0].element, any = places_[0].inside;  // `any`: some element so far is inside
    for (size_t k = 1; k < places_.size(); ++k) {
      const ValueId next = places_[k].element, inside = places_[k].inside;
      ValueId beats = append(Compare{*larger_ ? Direction::gt : Direction::lt}, {next, best});
      ValueId both = append(elementwise_op(*larger_ ? Reducer::max : Reducer::min), {best, next});
      if (any.valid()) {
        beats = append(Or{}, {beats, append(Not{}, {any})});
        both = append(Select{}, {any, both, next});
      }
      if (inside.valid()) {
        beats = append(And{}, {beats, inside});
        both = append(Select{}, {inside, both, best});
      }
      any = any.valid() && inside.valid() ? append(Or{}, {any, inside}) : ValueId();
      best = both;
      result.push_back(beats);
    }
    return result;
  }

  /// What each window has for its element at `offsets`, where that is in the operand; 0 elsewhere.
  ValueId put_back(ValueId x, const std::vector<int64_t>& offsets) {
    std::vector<int64_t> gaps;
    for (const Window& window : windows_) gaps.push_back(window.stride - 1);
    const ValueId zero = lowering_.splat(Rational(0), {lowering_.builder().type(x).tensor.dtype, {}}, op_);
    x = spread(lowering_, op_, x, zero, gaps);
    const Shape now = lowering_.builder().type(x).tensor.shape;
    Pad pad;
    for (size_t d = 0; d < shape_.size(); ++d) {
      pad.low.push_back(offsets[d] * windows_[d].dilation);
      pad.high.push_back(shape_[d] - now[d] - pad.low.back());
    }
    return append(std::move(pad), {x, zero});
  }

  Lowering& lowering_;
  const Operation& op_;
  Shape shape_;
  std::vector<Window> windows_;
  std::optional<bool> larger_;
  std::optional<InfinitePadding> padding_;
  std::vector<Place> places_;
};

}  // namespace

std::vector<Wire> select_and_scatter(Lowering& lowering, const Operation& op, Scope& scope) {
  const ValueId sum = SelectAndScatter(lowering, op, scope).run(lowering.value(op, 1, scope));
  return {Wire{lowering.builder().type(sum).tensor, sum}};
}

}  // namespace isoshard::stablehlo
