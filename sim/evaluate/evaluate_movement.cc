#include <numeric>
#include <utility>
#include <vector>

#include "core/value/integers.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluators.h"
#include "sim/evaluate/indexing.h"
#include "sim/value/movement.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {
namespace {

template <class T>
Value count_integers(const TensorType& type, const Domain& domain) {
  std::vector<T> numbers(static_cast<size_t>(element_count(type.shape)));
  std::iota(numbers.begin(), numbers.end(), T{0});
  NewValue result(type, domain.integer_storage(type.dtype));
  domain.from_machine(type.dtype, result.size(), reinterpret_cast<const std::byte*>(numbers.data()), result.data.get());
  return std::move(result).finish();
}

/// 0, 1, 2, ... of a numeric dtype, which holds them if it is one of integers; floats round.
Value count(DType dtype, int64_t size, const Domain& domain) {
  const TensorType type{dtype, {size}};
  if (is_float(dtype)) {
    std::vector<double> elements;
    for (int64_t i = 0; i < size; ++i) elements.push_back(static_cast<double>(i));
    return from_doubles(type, elements, domain);
  }
  return with_integer(dtype, [&](auto zero) { return count_integers<decltype(zero)>(type, domain); });
}

}  // namespace

Value apply(const Iota& op, const EvalContext& c) {
  const int64_t dims[] = {op.dim};
  return broadcast(count(op.dtype, op.shape[static_cast<size_t>(op.dim)], c.domain), dims, op.shape);
}

Value apply(const BroadcastInDim& op, const EvalContext& c) { return broadcast(c.operand(0), op.dims, op.shape); }
Value apply(const Reshape& op, const EvalContext& c) { return reshape(c.operand(0), op.shape); }
Value apply(const Transpose& op, const EvalContext& c) { return transpose(c.operand(0), op.permutation); }
Value apply(const Slice& op, const EvalContext& c) { return slice(c.operand(0), op.start, op.limit, op.strides); }
Value apply(const Concatenate& op, const EvalContext& c) { return concatenate(c.operands_from(0), op.dim); }
Value apply(const Pad& op, const EvalContext& c) { return pad(c.operand(0), c.operand(1), op.low, op.high); }
Value apply(const Reverse& op, const EvalContext& c) { return reverse(c.operand(0), op.dims); }

Value apply(const DynamicSlice& op, const EvalContext& c) {
  const Value& x = c.operand(0);
  return dynamic_slice(x, c.operands_from(1), op.sizes, c.domain);
}

Value apply(const DynamicUpdateSlice&, const EvalContext& c) {
  const Value &x = c.operand(0), &update = c.operand(1);
  return dynamic_update_slice(x, update, c.operands_from(2), c.domain);
}

Value apply(const Gather& op, const EvalContext& c) {
  return gather(c.operand(0), c.operand(1), op.dim, op.batch, c.result(), c.domain);
}

Value apply(const ScatterAdd& op, const EvalContext& c) {
  return scatter_add(c.operand(0), c.operand(1), c.operand(2), op.dim, op.batch, c.domain);
}

}  // namespace isoshard::sim
