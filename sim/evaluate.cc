#include "sim/evaluate.h"

#include "core/support/check.h"
#include "sim/conversion.h"
#include "sim/evaluate_dot.h"
#include "sim/integer_ops.h"
#include "sim/movement.h"
#include "sim/new_value.h"

namespace isoshard::sim {
namespace {

/// What an evaluator sees besides the op.
struct Context {
  std::span<const Value> operands;
  const TensorType& result;
  const Domain& domain;

  const Value& operand(size_t i) const { return operands[i]; }
};

Value float_unary(UnaryOp op, const Context& c) {
  const Value& x = c.operand(0);
  NewValue result(c.result, x.storage);
  c.domain.unary(op, x.type.dtype, x.size(), x.data.get(), result.data.get());
  return std::move(result).finish();
}

using IntegerBinary = void (*)(int64_t, const uint32_t*, const uint32_t*, uint32_t*);

Value numeric_binary(BinaryOp op, IntegerBinary native, const Context& c) {
  const Value& x = c.operand(0);
  const Value& y = c.operand(1);
  NewValue result(c.result, x.storage);
  if (is_float(x.type.dtype)) {
    c.domain.binary(op, x.type.dtype, x.size(), x.data.get(), y.data.get(), result.data.get());
  } else {
    native(x.size(), x.plane<uint32_t>(0).data(), y.plane<uint32_t>(0).data(), result.elements<uint32_t>());
  }
  return std::move(result).finish();
}

// One evaluator per op. An op that has neither an evaluator nor a reason below does not compile.

Value apply(const Constant& op, const Context& c) { return splat(c.result, op.value, c.domain); }

Value apply(const Negate&, const Context& c) {
  const Value& x = c.operand(0);
  if (is_float(x.type.dtype)) return float_unary(UnaryOp::negate, c);
  NewValue result(c.result, x.storage);
  integer::negate(x.size(), x.plane<uint32_t>(0).data(), result.elements<uint32_t>());
  return std::move(result).finish();
}

Value apply(const Exponential&, const Context& c) { return float_unary(UnaryOp::exponential, c); }
Value apply(const Tanh&, const Context& c) { return float_unary(UnaryOp::tanh, c); }
Value apply(const Logistic&, const Context& c) { return float_unary(UnaryOp::logistic, c); }

Value apply(const Add&, const Context& c) { return numeric_binary(BinaryOp::add, integer::add, c); }
Value apply(const Subtract&, const Context& c) { return numeric_binary(BinaryOp::subtract, integer::subtract, c); }
Value apply(const Multiply&, const Context& c) { return numeric_binary(BinaryOp::multiply, integer::multiply, c); }

Value apply(const Divide&, const Context& c) {
  const Value& x = c.operand(0);
  NewValue result(c.result, x.storage);
  c.domain.binary(BinaryOp::divide, x.type.dtype, x.size(), x.data.get(), c.operand(1).data.get(), result.data.get());
  return std::move(result).finish();
}

Value apply(const BroadcastInDim& op, const Context& c) { return broadcast(c.operand(0), op.dims, op.shape); }
Value apply(const Reshape& op, const Context& c) { return reshape(c.operand(0), op.shape); }
Value apply(const Transpose& op, const Context& c) { return transpose(c.operand(0), op.permutation); }
Value apply(const Slice& op, const Context& c) { return slice(c.operand(0), op.start, op.limit, op.strides); }
Value apply(const Concatenate& op, const Context& c) { return concatenate(c.operands, op.dim); }

Value apply(const DotGeneral& op, const Context& c) {
  return dot_general(op, c.operand(0), c.operand(1), c.result, c.domain);
}

Value apply(const Reduce& op, const Context& c) {
  const Value& x = c.operand(0);
  ISOSHARD_CHECK(op.op == Reducer::add, "a reducer without an evaluator");
  const ReducePlan plan(x.type.shape, op.dims);
  NewValue result(c.result, x.storage);
  if (is_float(x.type.dtype)) {
    c.domain.sum(x.type.dtype, plan, x.data.get(), result.data.get());
  } else {
    integer::sum(plan, x.plane<uint32_t>(0).data(), result.elements<uint32_t>());
  }
  return std::move(result).finish();
}

// Ops that are not local say what they are in a Plan instead.

constexpr const char* not_local(const View*) { return "a view is LoadBlock in a Plan"; }
constexpr const char* not_local(const BlockSize*) { return "a block_size is ScalarIndex in a Plan"; }
constexpr const char* not_local(const AxisIndex*) { return "axis_index is ScalarIndex in a Plan"; }
constexpr const char* not_local(const AllReduce*) { return "all_reduce is Collective in a Plan"; }
constexpr const char* not_local(const AllGather*) { return "all_gather is Collective in a Plan"; }
constexpr const char* not_local(const ReduceScatter*) { return "reduce_scatter is Collective in a Plan"; }
constexpr const char* not_local(const CollectivePermute*) { return "collective_permute is Permute in a Plan"; }
constexpr const char* not_local(const ConvertState*) { return "convert_state is KeepOn or nothing in a Plan"; }
constexpr const char* not_local(const Reinterpret*) { return "reinterpret is nothing in a Plan"; }
constexpr const char* not_local(const SliceBlock*) { return "slice_block is TakeBlock in a Plan"; }
constexpr const char* not_local(const Scan*) { return "a scan is a repeat in a Plan"; }
constexpr const char* not_local(const Call*) { return "a call is replaced by its body in a Plan"; }

template <class Op>
inline constexpr bool has_evaluator = requires(const Op& op, const Context& c) {
  apply(op, c);
};
template <class Op>
inline constexpr bool is_not_local = requires(const Op* op) {
  not_local(op);
};

template <class Op>
Value dispatch(const Op& op, const Context& c) {
  static_assert(has_evaluator<Op> != is_not_local<Op>,
                "sim/evaluate.cc needs for this Op either apply(const Op&, ...) or not_local(const Op*)");
  if constexpr (has_evaluator<Op>) {
    return apply(op, c);
  } else {
    static_cast<void>(c);
    internal_error("local op", not_local(&op), __FILE__, __LINE__);
  }
}

}  // namespace

Value evaluate(const OpData& op, std::span<const Value> operands, const TensorType& result, const Domain& domain) {
  const Context context{operands, result, domain};
  return std::visit([&](const auto& o) { return dispatch(o, context); }, op);
}

}  // namespace isoshard::sim
