#include "sim/evaluators.h"
#include "sim/movement.h"

namespace isoshard::sim {

Value apply(const BroadcastInDim& op, const EvalContext& c) { return broadcast(c.operand(0), op.dims, op.shape); }
Value apply(const Reshape& op, const EvalContext& c) { return reshape(c.operand(0), op.shape); }
Value apply(const Transpose& op, const EvalContext& c) { return transpose(c.operand(0), op.permutation); }
Value apply(const Slice& op, const EvalContext& c) { return slice(c.operand(0), op.start, op.limit, op.strides); }
Value apply(const Concatenate& op, const EvalContext& c) { return concatenate(c.operands, op.dim); }

}  // namespace isoshard::sim
