#include "core/ir/ops/reduce.h"

#include <algorithm>

#include "core/ir/ops/shape_checks.h"

namespace isoshard {

std::string reducer_misfit(Reducer op, DType dtype) {
  const bool bits = op == Reducer::logical_and || op == Reducer::logical_or;
  if (bits) return is_integer(dtype) || dtype == DType::pred ? "" : "predicates or integers, not floats or keys";
  return is_numeric(dtype) ? "" : "numbers, not predicates or keys";
}

OpFacts Reduce::facts() const {
  if (op == Reducer::add) return {OpClass::linear};
  if (op == Reducer::mul) return {OpClass::bilinear};
  return {op == Reducer::logical_and || op == Reducer::logical_or ? OpClass::integer : OpClass::order};
}

Inferred Reduce::infer(const InferContext& context) const {
  if (op == Reducer::none)
    return context.error("T-reduce", "`op` is missing; expected add, max, min, argmax, mul, and, or");
  const TensorType& x = context.operand(0);
  if (const std::string wanted = reducer_misfit(op, x.dtype); !wanted.empty()) {
    return context.error("T-numeric", "the operand is " + to_string(x) + "; expected " + wanted);
  }
  if (!check_dims(context, dims, x.shape.size())) return std::nullopt;
  TensorType result{x.dtype, {}};
  for (size_t d = 0; d < x.shape.size(); ++d) {
    if (std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) == dims.end()) result.shape.push_back(x.shape[d]);
  }
  if (op != Reducer::argmax) return std::vector{result};
  if (dims.size() != 1 || x.shape[static_cast<size_t>(dims[0])] == 0) {
    return context.error("T-argmax", "argmax runs over one dimension of at least one element; `dims` has " +
                                         std::to_string(dims.size()) + " and the operand is " + to_string(x));
  }
  return std::vector{result, TensorType{DType::i32, result.shape}};
}

void Reduce::infer_states(StateContext& context) const {
  infer_states_by_rule(op == Reducer::add ? StateRule::unary_linear : StateRule::nonlinear, context);
  if (op == Reducer::add) return apply_partial(partial, context);
  for (size_t i = 0; i < context.result.size(); ++i) {
    if (!partial.contains(AxisId(i))) continue;
    context.error("S-partial", AxisId(i),
                  "`partial` says that the result of " + context.operands[0].name +
                      " is one term of a sum, which holds for op=add only; leave it out: all_reduce {op=max} or "
                      "{op=min} combines maxima over an axis");
  }
}

}  // namespace isoshard
