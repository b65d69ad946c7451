// Reductions and the largest elements. The initial value of a reduction is nearly always the neutral one and then left
// out, -inf of a maximum above all; another is combined with the result. Cost: constant for each op.
#include <utility>

#include "core/import/stablehlo/idioms/reducers.h"
#include "core/import/stablehlo/lower/attributes.h"
#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/rules.h"
#include "core/support/quoted.h"
#include "core/value/integers.h"

namespace isoshard::stablehlo {
namespace {

/// The same order turned round: -x of floats, and of integers, of which the least has no negative, -1 - x or, without a
/// sign, the greatest less x. Equal elements stay equal, and nan is nan.
ValueId turned(Lowering& lowering, ValueId x, const Operation& op) {
  const TensorType type = lowering.builder().type(x).tensor;
  if (is_float(type.dtype)) return lowering.append(Negate{}, {x}, op);
  const Rational last = is_unsigned(type.dtype) ? greatest_integer(type.dtype) : Rational(-1);
  return lowering.append(Subtract{}, {lowering.splat(last, type, op), x}, op);
}

/// argmax, and argmin as that of what is in the other order; of predicates as of 0 and 1.
std::vector<Wire> with_index(Lowering& lowering, const Operation& op, Scope& scope, const std::vector<int64_t>& dims) {
  const bool counts = dims.size() == 1 && lowering.wire(op, 1, scope).counted == dims[0];
  const Reducer reducer = op.regions.empty() ? Reducer::none : reducer_with_index(op.regions[0]);
  const ConstantArray *value = lowering.constant(op, 2, scope), *index = lowering.constant(op, 3, scope);
  const bool neutral = value != nullptr && index != nullptr && value->is_splat() && index->is_splat() &&
                       index->elements[0].is_zero() && value->elements[0] == neutral_of(reducer, value->type.dtype);
  if (op.result_types.size() != 2 || reducer == Reducer::none || !counts || !neutral) {
    lowering.unsupported(op, "a reduction of several operands that is no argmax or argmin over an iota");
  }
  const bool least = reducer == Reducer::min, predicates = value->type.dtype == DType::pred;
  ValueId x = lowering.value(op, 0, scope);
  if (predicates) x = lowering.append(Convert{DType::i32}, {x}, op);
  std::vector<Wire> results =
      lowering.append_two(Reduce{Reducer::argmax, dims, {}}, least ? turned(lowering, x, op) : x, op);
  if (least) results[0].id = turned(lowering, results[0].id, op);
  if (predicates) results[0] = lowering.emit(Convert{DType::pred}, {results[0].id}, op);
  const DType dtype = op.result_types[1].dtype;
  if (dtype != DType::i32) results[1] = lowering.emit(Convert{dtype}, {results[1].id}, op);
  return results;
}

std::vector<Wire> reduce(Lowering& lowering, const Operation& op, Scope& scope) {
  const std::vector<int64_t> dims = integers(lowering, op, "dimensions");
  if (op.operands.size() != 2) return with_index(lowering, op, scope, dims);
  const DType dtype = lowering.wire(op, 0, scope).type.dtype;
  const Reducer found = op.regions.empty() && !op.words.empty() ? reducer_of_name(op.words[0].text)
                        : op.regions.empty()                    ? Reducer::none
                                                                : reducer_of(op.regions[0]);
  const Reducer reducer = reducer_for(found, dtype);
  if (reducer == Reducer::none)
    lowering.unsupported(op, "a reduction by what is no add, multiply, maximum, minimum, and or or");
  const ConstantArray* initial = lowering.constant(op, 1, scope);
  const bool neutral = initial != nullptr && initial->is_splat() && initial->elements[0] == neutral_of(reducer, dtype);
  Wire result = lowering.emit(Reduce{reducer, dims, {}}, {lowering.value(op, 0, scope)}, op);
  if (neutral) return {std::move(result)};
  if (reducer == Reducer::add && lowering.wire(op, 1, scope).minus_zero) {
    // From -0 on a sum of -0s is -0, which Reduce has as 0: twice negated its zeros have a sign that nobody knows.
    return {lowering.emit(Negate{}, {lowering.append(Negate{}, {result.id}, op)}, op)};
  }
  ValueId start = lowering.value(op, 1, scope);
  if (!result.type.shape.empty()) start = lowering.append(BroadcastInDim{{}, result.type.shape}, {start}, op);
  return {lowering.emit(elementwise_op(reducer), {result.id, start}, op)};
}

/// The largest k along the last dimension and where they are.
std::vector<Wire> top_k(Lowering& lowering, const Operation& op, Scope& scope) {
  std::vector<Wire> found = lowering.append_two(TopK{integer(lowering, op, "k")}, lowering.value(op, 0, scope), op);
  found[1].different = std::ssize(found[1].type.shape) - 1;
  return found;
}

}  // namespace

std::span<const NamedRule> reduction_rules() {
  static constexpr NamedRule kRules[] = {
      {"stablehlo.reduce", reduce},
      {"chlo.top_k", top_k},
  };
  return kRules;
}

}  // namespace isoshard::stablehlo
