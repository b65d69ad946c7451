// Ops that only move elements, as Maps between arrays with other strides: a broadcast repeats with stride 0, a reversal
// goes backwards, parts are written where they belong in the result. Padding is written everywhere first, since a
// second pass over it is cheaper than kernels for each of its sides. Cost: dimensions.
#include <algorithm>

#include "core/plan/calls/writing/op_calls.h"

namespace isoshard::calls {

void write(const Iota& op, CallWriter& writer) {
  const Held& result = writer.result();
  const auto dim = op.shape.begin() + op.dim;
  const Shape around{element_count(Shape(op.shape.begin(), dim)), *dim, element_count(Shape(dim + 1, op.shape.end()))};
  if (element_count(around) == 0) return;
  Map map;  // its dimensions are not joined, for one of them is counted
  map.dims = 3;
  map.compute = Compute::i64;
  std::copy(around.begin(), around.end(), map.size);
  map.output.place = result.place, map.output.dtype = result.type->dtype;
  const std::vector<int64_t> strides = row_major(around);
  std::copy(strides.begin(), strides.end(), map.output.stride);
  map.steps[map.steps_used++] = {StepOp::take, 0, index_along(1), {}};
  writer.add(map);
}

void write(const BroadcastInDim& op, CallWriter& writer) {
  const View x = view_of(writer.operand(0));
  View from{x.place, x.dtype, std::vector<int64_t>(op.shape.size(), 0)};
  for (size_t i = 0; i < op.dims.size(); ++i) {
    if (writer.operand(0).type->shape[i] != 1) from.strides[static_cast<size_t>(op.dims[i])] = x.strides[i];
  }
  writer.copy(op.shape, from, view_of(writer.result()));
}

void write(const Transpose& op, CallWriter& writer) {
  const View x = view_of(writer.operand(0));
  View from{x.place, x.dtype, {}};
  for (const int64_t dim : op.permutation) from.strides.push_back(x.strides[static_cast<size_t>(dim)]);
  writer.copy(writer.result().type->shape, from, view_of(writer.result()));
}

void write(const Slice& op, CallWriter& writer) {
  View from = view_of(writer.operand(0));
  int64_t first = 0;
  for (size_t d = 0; d < op.start.size(); ++d) {
    first += op.start[d] * from.strides[d];
    if (!op.strides.empty()) from.strides[d] *= op.strides[d];
  }
  writer.copy(writer.result().type->shape, moved(std::move(from), first), view_of(writer.result()));
}

void write(const Concatenate& op, CallWriter& writer) {
  const View result = view_of(writer.result());
  const auto dim = static_cast<size_t>(op.dim);
  int64_t first = 0;
  for (size_t i = 0; i < writer.operand_count(); ++i) {
    const Held& part = writer.operand(i);
    writer.copy(part.type->shape, view_of(part), moved(result, first * result.strides[dim]));
    first += part.type->shape[dim];
  }
}

void write(const Pad& op, CallWriter& writer) {
  const Held &x = writer.operand(0), &result = writer.result();
  const Shape all{element_count(result.type->shape)};
  const View padded = view_of(result);
  int64_t first = 0;
  for (size_t d = 0; d < op.low.size(); ++d) first += op.low[d] * padded.strides[d];
  if (x.type->shape != result.type->shape) {
    writer.copy(all, repeated(writer.operand(1), 1), View{padded.place, padded.dtype, {1}});
  }
  writer.copy(x.type->shape, view_of(x), moved(padded, first));
}

void write(const Reverse& op, CallWriter& writer) {
  const Shape& shape = writer.result().type->shape;
  if (element_count(shape) == 0) return;
  View from = view_of(writer.operand(0));
  int64_t first = 0;
  for (const int64_t reversed : op.dims) {
    const auto d = static_cast<size_t>(reversed);
    first += (shape[d] - 1) * from.strides[d];
    from.strides[d] = -from.strides[d];
  }
  writer.copy(shape, moved(std::move(from), first), view_of(writer.result()));
}

void write(const BitcastConvert&, CallWriter& writer) {
  const Held &x = writer.operand(0), &result = writer.result();
  const int64_t keys = element_count((x.type->dtype == DType::key ? x : result).type->shape);
  // Words and keys have the same bytes.
  writer.copy({keys}, View{x.place, DType::key, {1}}, View{result.place, DType::key, {1}});
}

}  // namespace isoshard::calls
