// Constants and what only moves elements. A constant that is repeated or reshaped stays a constant, so that programs
// read `0.5` and not a broadcast of it. Padding by fewer than no elements cuts them off. Cost: constant for each op.
#include <algorithm>
#include <utility>

#include "core/import/stablehlo/analysis/fold.h"
#include "core/import/stablehlo/idioms/spread.h"
#include "core/import/stablehlo/lower/attributes.h"
#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/rules.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

/// A constant among whose elements are -0: numbers times 1 and -1.
Wire with_minus_zeros(Lowering& lowering, const Operation& op, const ConstantArray& array) {
  const auto value_of = [&](std::vector<Rational> elements) {
    const auto held = std::make_shared<const ConstantArray>(ConstantArray{array.type, std::move(elements)});
    return lowering.value(Wire{array.type, {}, held}, op);
  };
  std::vector<Rational> signs(array.elements.size(), Rational(1));
  for (const size_t place : array.minus_zeros) signs[place] = Rational(-1);
  if (array.is_splat()) {
    Wire zero = lowering.emit(Negate{}, {value_of(array.elements)}, op);
    zero.minus_zero = true;
    return zero;
  }
  return lowering.emit(Multiply{}, {value_of(array.elements), value_of(std::move(signs))}, op);
}

std::vector<Wire> constant(Lowering& lowering, const Operation& op, Scope&) {
  const Attribute* value = op.find("value");
  if (value == nullptr) lowering.fail("M-attribute", op, "a constant without a value");
  auto array = std::make_shared<const ConstantArray>(elements_of(lowering, op, *value));
  if (!array->minus_zeros.empty()) return {with_minus_zeros(lowering, op, *array)};
  return {Wire{array->type, {}, array}};
}

/// Operand 0 in another type, where it is a constant of one element, or one whose elements stay in their order
/// (`lists`) and are as many as before.
std::optional<Wire> retyped(const Lowering& lowering, const Operation& op, const Scope& scope, bool lists) {
  const ConstantArray* array = lowering.constant(op, 0, scope);
  const TensorType& type = op.result_types.at(0);
  const bool as_many = array != nullptr && array->type.dtype == type.dtype &&
                       element_count(array->type.shape) == element_count(type.shape);
  if (array == nullptr || !(array->is_splat() || (lists && as_many))) return std::nullopt;
  return Wire{type, {}, std::make_shared<const ConstantArray>(ConstantArray{type, array->elements})};
}

/// Whether elements stay in their order, and none is repeated.
bool adds_dims_only(const TensorType& type, const BroadcastInDim& broadcast) {
  int64_t before = -1;
  for (size_t d = 0; d < type.shape.size() && d < broadcast.dims.size(); ++d) {
    const int64_t to = broadcast.dims[d];
    if (to <= before || to >= std::ssize(broadcast.shape)) return false;
    if (broadcast.shape[static_cast<size_t>(to)] != type.shape[d]) return false;
    before = to;
  }
  return type.shape.size() == broadcast.dims.size();
}

std::vector<Wire> iota(Lowering& lowering, const Operation& op, Scope&) {
  const TensorType& type = op.result_types.at(0);
  const int64_t dim =
      op.find("dim") != nullptr ? integer(lowering, op, "dim") : integer(lowering, op, "iota_dimension");
  Wire result = lowering.emit(Iota{type.dtype, type.shape, dim}, {}, op);
  result.counted = dim;
  result.permutation = type.shape.size() == 1;
  return {std::move(result)};
}

/// With what is known of a permutation, where all elements stay in their order.
Wire with_order_of(const Wire& x, Wire moved) {
  if (element_count(x.type.shape) != element_count(moved.type.shape)) return moved;
  moved.permutation = x.permutation;
  moved.inverse = x.inverse;
  return moved;
}

/// With what is known of the signs of zeros and nans.
Wire with_signs_of(const Wire& x, Wire moved) {
  moved.plus_zero = x.plus_zero;
  moved.one_nan = x.one_nan;
  return moved;
}

std::vector<Wire> broadcast_in_dim(Lowering& lowering, const Operation& op, Scope& scope) {
  BroadcastInDim broadcast{integers(lowering, op, "dims", "broadcast_dimensions"), op.result_types.at(0).shape};
  if (std::optional<Wire> same =
          retyped(lowering, op, scope, adds_dims_only(lowering.wire(op, 0, scope).type, broadcast)))
    return {std::move(*same)};
  const Wire& x = lowering.wire(op, 0, scope);
  Wire result = with_signs_of(x, lowering.emit(broadcast, {lowering.value(op, 0, scope)}, op));
  const auto along = [&](const std::optional<int64_t>& dim) -> std::optional<int64_t> {
    if (!dim) return std::nullopt;
    const auto from = static_cast<size_t>(*dim);
    const int64_t to = broadcast.dims.at(from);  // the dims fit, or emit has said so
    const bool whole = x.type.shape.at(from) == result.type.shape.at(static_cast<size_t>(to));  // not one repeated
    return whole ? std::optional(to) : std::nullopt;
  };
  result.counted = along(x.counted);
  result.different = along(x.different);
  return {x.type.shape.size() == 1 ? with_order_of(x, std::move(result)) : std::move(result)};
}

/// Where dimension `dim` is in another shape that differs in dimensions of size 1 only.
std::optional<int64_t> same_dim(const Shape& from, const Shape& to, int64_t dim) {
  const auto wide = [](const Shape& shape) {
    std::vector<int64_t> dims;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] != 1) dims.push_back(static_cast<int64_t>(d));
    }
    return dims;
  };
  const std::vector<int64_t> before = wide(from), after = wide(to);
  const auto size = [](const Shape& shape, int64_t d) { return shape[static_cast<size_t>(d)]; };
  const bool same = std::equal(before.begin(), before.end(), after.begin(), after.end(),
                               [&](int64_t a, int64_t b) { return size(from, a) == size(to, b); });
  const auto found = std::find(before.begin(), before.end(), dim);
  if (!same || found == before.end()) return std::nullopt;
  return after[static_cast<size_t>(found - before.begin())];
}

std::vector<Wire> reshape(Lowering& lowering, const Operation& op, Scope& scope) {
  if (std::optional<Wire> same = retyped(lowering, op, scope, true)) return {std::move(*same)};
  if (lowering.wire(op, 0, scope).type == op.result_types.at(0)) return {lowering.wire(op, 0, scope)};
  const Wire& x = lowering.wire(op, 0, scope);
  Wire result = lowering.emit(Reshape{op.result_types.at(0).shape}, {lowering.value(op, 0, scope)}, op);
  if (x.different) result.different = same_dim(x.type.shape, result.type.shape, *x.different);
  return {with_order_of(x, with_signs_of(x, std::move(result)))};
}

std::vector<Wire> transpose(Lowering& lowering, const Operation& op, Scope& scope) {
  return {lowering.emit(Transpose{integers(lowering, op, "dims", "permutation")}, {lowering.value(op, 0, scope)}, op)};
}

std::vector<Wire> reverse(Lowering& lowering, const Operation& op, Scope& scope) {
  Wire result =
      lowering.emit(Reverse{integers(lowering, op, "dims", "dimensions")}, {lowering.value(op, 0, scope)}, op);
  result.permutation = lowering.wire(op, 0, scope).permutation;
  return {std::move(result)};
}

std::vector<Wire> concatenate(Lowering& lowering, const Operation& op, Scope& scope) {
  const int64_t dim = op.find("dim") != nullptr ? integer(lowering, op, "dim") : integer(lowering, op, "dimension");
  std::vector<const ConstantArray*> lists;
  for (size_t i = 0; i < op.operands.size(); ++i) lists.push_back(lowering.constant(op, i, scope));
  if (std::optional<ConstantArray> list = dim == 0 ? joined_list(op.result_types.at(0), lists) : std::nullopt) {
    return {Wire{list->type, {}, std::make_shared<const ConstantArray>(std::move(*list))}};
  }
  Wire result = lowering.emit(Concatenate{dim}, lowering.values(op, scope), op);
  result.joined = dim;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Wire& part = lowering.wire(op, i, scope);
    if (part.counted && *part.counted != dim) result.told_apart.insert(*part.counted);
    if (part.different && *part.different != dim) result.apart_in_rows.insert(*part.different);
  }
  return {std::move(result)};
}

/// `%x [0:1, 0:4:2]`, or start_indices, limit_indices and strides.
std::vector<Wire> slice(Lowering& lowering, const Operation& op, Scope& scope) {
  Slice slice;
  if (op.words.empty()) {
    if (op.find("start_indices") != nullptr) {
      slice.start = integers(lowering, op, "start_indices");
      slice.limit = integers(lowering, op, "limit_indices");
      slice.strides = integers(lowering, op, "strides");
    }
  } else {
    for (const Attribute& range : op.words[0].items) {
      std::vector<int64_t> ends;
      for (const Attribute& end : range.items) {
        const std::vector<int64_t> numbers = integers_of(lowering, op, end);
        ends.insert(ends.end(), numbers.begin(), numbers.end());
      }
      if (ends.size() < 2)
        lowering.fail("M-attribute", op, "a range of a slice; expected start:limit or start:limit:stride");
      slice.start.push_back(ends[0]);
      slice.limit.push_back(ends[1]);
      slice.strides.push_back(ends.size() > 2 ? ends[2] : 1);
    }
  }
  bool strided = false;
  for (const int64_t stride : slice.strides) strided = strided || stride != 1;
  if (!strided) slice.strides.clear();
  return {lowering.emit(slice, {lowering.value(op, 0, scope)}, op)};
}

bool are_within(const std::vector<int64_t>& numbers, int64_t least, int64_t greatest) {
  return std::all_of(numbers.begin(), numbers.end(), [&](int64_t n) { return least <= n && n <= greatest; });
}

std::vector<Wire> pad(Lowering& lowering, const Operation& op, Scope& scope) {
  const auto of = [&](std::string_view pretty, std::string_view generic) {
    return integers(lowering, op, pretty, generic);
  };
  std::vector<int64_t> low = of("low", "edge_padding_low"), high = of("high", "edge_padding_high");
  const std::vector<int64_t> interior = of("interior", "interior_padding");
  const size_t rank = lowering.wire(op, 0, scope).type.shape.size();
  if (low.size() != rank || high.size() != rank || interior.size() != rank) {
    lowering.fail("M-attribute", op, "a pad with other than one low, high and interior per dimension");
  }
  constexpr int64_t kEnd = int64_t{1} << 31;
  if (!are_within(low, -kEnd, kEnd) || !are_within(high, -kEnd, kEnd) || !are_within(interior, 0, kEnd)) {
    lowering.fail("M-attribute", op, "a pad of 2^31 or more, or with a negative interior");
  }
  ValueId x = lowering.value(op, 0, scope);
  const bool spreads = std::any_of(interior.begin(), interior.end(), [](int64_t size) { return size != 0; });
  if (spreads) x = spread(lowering, op, x, lowering.value(op, 1, scope), interior);
  const Shape shape = lowering.builder().type(x).tensor.shape;
  Slice cut{std::vector<int64_t>(shape.size()), shape, {}};
  bool cuts = false;
  for (size_t d = 0; d < shape.size(); ++d) {
    cuts = cuts || low[d] < 0 || high[d] < 0;
    // What is cut off one side beyond all elements is cut off what the other side has put there.
    const int64_t below = std::max<int64_t>(0, -low[d]), above = std::max<int64_t>(0, -high[d]);
    cut.start[d] = std::min(shape[d], below);
    cut.limit[d] = std::max(cut.start[d], shape[d] - above);
    low[d] = std::max<int64_t>(0, low[d]) - std::max<int64_t>(0, above - shape[d]);
    high[d] = std::max<int64_t>(0, high[d]) - (below - cut.start[d]);
    if (low[d] < 0 || high[d] < 0) lowering.fail("M-attribute", op, "a pad that cuts off more than there is");
  }
  if (cuts) x = lowering.append(cut, {x}, op);
  const auto is_0 = [](int64_t size) { return size == 0; };
  const bool pads = !std::all_of(low.begin(), low.end(), is_0) || !std::all_of(high.begin(), high.end(), is_0);
  if (!pads) return {Wire{lowering.builder().type(x).tensor, x}};
  Wire result = lowering.emit(Pad{low, high}, {x, lowering.value(op, 1, scope)}, op);
  const ConstantArray* around = lowering.constant(op, 1, scope);
  const bool infinite =
      around != nullptr && around->is_splat() && !around->elements[0].finite() && !around->elements[0].is_nan();
  if (infinite && !spreads) result.padding = InfinitePadding{x, low, around->elements[0].negative()};
  return {std::move(result)};
}

}  // namespace

std::span<const NamedRule> movement_rules() {
  static constexpr NamedRule kRules[] = {
      {"stablehlo.constant", constant},
      {"stablehlo.iota", iota},
      {"stablehlo.broadcast_in_dim", broadcast_in_dim},
      {"stablehlo.reshape", reshape},
      {"stablehlo.transpose", transpose},
      {"stablehlo.reverse", reverse},
      {"stablehlo.concatenate", concatenate},
      {"stablehlo.slice", slice},
      {"stablehlo.pad", pad},
  };
  return kRules;
}

}  // namespace isoshard::stablehlo
