// Reductions, running sums and the largest elements. The initial value of a reduction is nearly always the neutral one
// and then left out, -inf of a maximum above all; another is combined with the result. reduce_window is read where it
// is a running sum. Cost: constant for each op.
#include <algorithm>
#include <utility>

#include "core/import/stablehlo/lower/attributes.h"
#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/reducers.h"
#include "core/import/stablehlo/lower/rules.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

OpData elementwise_op(Reducer op) {
  switch (op) {
    case Reducer::max:
      return Maximum{};
    case Reducer::min:
      return Minimum{};
    case Reducer::mul:
      return Multiply{};
    case Reducer::logical_and:
      return And{};
    case Reducer::logical_or:
      return Or{};
    default:
      return Add{};
  }
}

/// Of predicates a maximum is `or` and a minimum `and`.
Reducer of_dtype(Reducer op, DType dtype) {
  if (dtype != DType::pred) return op;
  if (op == Reducer::max) return Reducer::logical_or;
  if (op == Reducer::min) return Reducer::logical_and;
  return op;
}

std::vector<Wire> argmax(Lowering& lowering, const Operation& op, Scope& scope, const std::vector<int64_t>& dims) {
  const bool counts = dims.size() == 1 && lowering.wire(op, 1, scope).counted == dims[0];
  const ConstantArray *value = lowering.constant(op, 2, scope), *index = lowering.constant(op, 3, scope);
  const bool neutral = value != nullptr && index != nullptr && index->elements[0].is_zero() &&
                       value->elements[0] == neutral_of(Reducer::max, value->type.dtype);
  if (op.regions.empty() || !is_argmax(op.regions[0]) || !counts || !neutral) {
    lowering.unsupported(op, "a reduction of several operands that is no argmax over an iota");
  }
  std::vector<Wire> results = lowering.append_two(Reduce{Reducer::argmax, dims, {}}, lowering.value(op, 0, scope), op);
  const DType dtype = op.result_types.at(1).dtype;
  if (dtype != DType::i32) results[1] = lowering.emit(Convert{dtype}, {results[1].id}, op);
  return results;
}

std::vector<Wire> reduce(Lowering& lowering, const Operation& op, Scope& scope) {
  const std::vector<int64_t> dims = integers(lowering, op, "dimensions");
  if (op.operands.size() != 2) return argmax(lowering, op, scope, dims);
  const DType dtype = lowering.wire(op, 0, scope).type.dtype;
  const Reducer found = op.regions.empty() && !op.words.empty() ? reducer_of_name(op.words[0].text)
                        : op.regions.empty()                    ? Reducer::none
                                                                : reducer_of(op.regions[0]);
  const Reducer reducer = of_dtype(found, dtype);
  if (reducer == Reducer::none)
    lowering.unsupported(op, "a reduction by what is no add, multiply, maximum, minimum, and or or");
  const ConstantArray* initial = lowering.constant(op, 1, scope);
  const bool neutral = initial != nullptr && initial->elements[0] == neutral_of(reducer, dtype);
  Wire result = lowering.emit(Reduce{reducer, dims, {}}, {lowering.value(op, 0, scope)}, op);
  if (neutral) return {std::move(result)};
  ValueId start = lowering.value(op, 1, scope);
  if (!result.type.shape.empty()) start = lowering.append(BroadcastInDim{{}, result.type.shape}, {start}, op);
  return {lowering.emit(elementwise_op(reducer), {result.id, start}, op)};
}

/// A window of n elements behind n - 1 zeros, or before them: a running sum.
std::vector<Wire> reduce_window(Lowering& lowering, const Operation& op, Scope& scope) {
  const TensorType& type = lowering.wire(op, 0, scope).type;
  const std::vector<int64_t> window = integers(lowering, op, "window_dimensions");
  std::vector<int64_t> padding(2 * window.size());
  if (const auto given = find_integers(lowering, op, "padding")) padding = *given;
  padding.resize(2 * window.size(), padding.size() == 1 ? padding[0] : 0);
  std::optional<size_t> along;
  bool plain = !op.regions.empty() && reducer_of(op.regions[0]) == Reducer::add && window.size() == type.shape.size();
  for (const std::string_view key : {"window_strides", "base_dilations", "window_dilations"}) {
    const auto steps = find_integers(lowering, op, key);
    plain = plain && (!steps || std::all_of(steps->begin(), steps->end(), [](int64_t step) { return step == 1; }));
  }
  for (size_t d = 0; plain && d < window.size(); ++d) {
    if (window[d] == 1 && padding[2 * d] == 0 && padding[2 * d + 1] == 0) continue;
    plain = !along && window[d] == type.shape[d] && padding[2 * d] + padding[2 * d + 1] == window[d] - 1 &&
            (padding[2 * d] == 0 || padding[2 * d + 1] == 0);
    along = d;
  }
  const ConstantArray* initial = op.operands.size() == 2 ? lowering.constant(op, 1, scope) : nullptr;
  plain = plain && initial != nullptr && initial->elements[0].is_zero();
  if (!plain || !along) lowering.unsupported(op, "a reduce_window that is no running sum (jnp.cumsum)");
  const auto dim = static_cast<int64_t>(*along);
  const ValueId x = lowering.value(op, 0, scope);
  if (padding[2 * *along] != 0) return {lowering.emit(Cumsum{dim}, {x}, op)};
  const ValueId backwards = lowering.append(Cumsum{dim}, {lowering.append(Reverse{{dim}}, {x}, op)}, op);
  return {lowering.emit(Reverse{{dim}}, {backwards}, op)};
}

/// The largest k along the last dimension and where they are.
std::vector<Wire> top_k(Lowering& lowering, const Operation& op, Scope& scope) {
  return lowering.append_two(TopK{integer(lowering, op, "k")}, lowering.value(op, 0, scope), op);
}

/// Of one operand along the last dimension: the largest of all, ascending in reverse.
std::vector<Wire> sort(Lowering& lowering, const Operation& op, Scope& scope) {
  const TensorType& type = lowering.wire(op, 0, scope).type;
  const auto rank = static_cast<int64_t>(type.shape.size());
  const int64_t dim = op.find("dimension") != nullptr ? integer(lowering, op, "dimension") : -1;
  const std::optional<bool> ascending = op.regions.empty() ? std::nullopt : is_ascending(op.regions[0]);
  if (op.operands.size() != 1 || rank == 0 || (dim != rank - 1 && dim != -1) || !ascending) {
    lowering.unsupported(op, "a sort that is not of one array along its last dimension, by less or greater");
  }
  const Wire falling = lowering.append_two(TopK{type.shape.back()}, lowering.value(op, 0, scope), op)[0];
  if (!*ascending) return {falling};
  return {lowering.emit(Reverse{{rank - 1}}, {falling.id}, op)};
}

}  // namespace

std::span<const NamedRule> reduction_rules() {
  static constexpr NamedRule kRules[] = {
      {"stablehlo.reduce", reduce},
      {"stablehlo.reduce_window", reduce_window},
      {"chlo.top_k", top_k},
      {"stablehlo.sort", sort},
  };
  return kRules;
}

}  // namespace isoshard::stablehlo
