// Ops whose operands say which elements are meant. A dynamic slice is a copy that a sum of clamped starts moves; a
// dimension that the block fills has no start, since it is clamped to 0. A scatter of narrow floats adds in f32, in
// scratch memory, and rounds once. Cost: dimensions.
#include <array>

#include "core/plan/calls/writing/op_calls.h"

namespace isoshard::calls {
namespace {

/// A copy of elements along `shape`, one of the sides moved by starts.
void write_block(const Shape& shape, const View& input, const View& output, bool moves_output, const Starts& starts,
                 CallWriter& writer) {
  if (element_count(shape) == 0) return;
  Loops loops(2);
  for (size_t d = 0; d < shape.size(); ++d) loops.add(shape[d], {input.strides[d], output.strides[d]});
  if (!writer.fits(loops)) return;
  BlockCopy copy;
  copy.dims = loops.dims();
  copy.moves_output = moves_output;
  loops.put_sizes(copy.size);
  copy.input.place = input.place, copy.input.dtype = input.dtype;
  copy.output.place = output.place, copy.output.dtype = output.dtype;
  loops.put_strides(0, copy.input.stride);
  loops.put_strides(1, copy.output.stride);
  copy.starts = starts;
  writer.add(copy);
}

/// x[b.., p.., n, q..] and ids[b.., i..].
template <class Call>
void put_sizes(Call& call, const Shape& x, const Shape& ids, int64_t dim, int64_t batch) {
  const auto at = [](const Shape& shape, int64_t d) { return shape.begin() + d; };
  call.batch = element_count(Shape(x.begin(), at(x, batch)));
  call.outer = element_count(Shape(at(x, batch), at(x, dim)));
  call.rows = x[static_cast<size_t>(dim)];
  call.inner = element_count(Shape(at(x, dim + 1), x.end()));
  call.picks = element_count(Shape(at(ids, batch), ids.end()));
}

}  // namespace

bool starts_fit(const Shape& whole, const Shape& block, CallWriter& writer) {
  int count = 0;
  for (size_t d = 0; d < whole.size(); ++d) count += whole[d] > block[d] ? 1 : 0;
  if (count <= kMostDims) return true;
  writer.refuse("its block begins anywhere in " + std::to_string(count) + " dimensions; kernels have " +
                std::to_string(kMostDims));
  return false;
}

Starts starts_of(const CallWriter& writer, size_t first, const Shape& whole, const Shape& block) {
  Starts starts;
  const std::vector<int64_t> strides = row_major(whole);
  for (size_t d = 0; d < whole.size(); ++d) {
    if (whole[d] == block[d]) continue;
    const Held& start = writer.operand(first + d);
    starts.dtype[starts.count] = start.type->dtype;
    starts.place[starts.count] = start.place;
    starts.most[starts.count] = whole[d] - block[d];
    starts.stride[starts.count] = strides[d];
    ++starts.count;
  }
  return starts;
}

void write(const DynamicSlice& op, CallWriter& writer) {
  const Held& x = writer.operand(0);
  if (!starts_fit(x.type->shape, op.sizes, writer)) return;
  const Starts starts = starts_of(writer, 1, x.type->shape, op.sizes);
  write_block(op.sizes, view_of(x), view_of(writer.result()), false, starts, writer);
}

void write(const DynamicUpdateSlice&, CallWriter& writer) {
  const Held &x = writer.operand(0), &update = writer.operand(1), &result = writer.result();
  if (!starts_fit(x.type->shape, update.type->shape, writer)) return;
  const Starts starts = starts_of(writer, 2, x.type->shape, update.type->shape);
  writer.copy(x, result);
  write_block(update.type->shape, view_of(update), view_of(result), true, starts, writer);
}

void write(const Gather& op, CallWriter& writer) {
  const Held &x = writer.operand(0), &ids = writer.operand(1), &result = writer.result();
  if (element_count(result.type->shape) == 0) return;
  TakeRows gather;
  gather.dtype = x.type->dtype, gather.ids_dtype = ids.type->dtype;
  gather.input = x.place, gather.ids = ids.place, gather.output = result.place;
  put_sizes(gather, x.type->shape, ids.type->shape, op.dim, op.batch);
  writer.add(gather);
}

void write(const ScatterAdd& op, CallWriter& writer) {
  const Held &x = writer.operand(0), &ids = writer.operand(1), &updates = writer.operand(2);
  const TensorType wide{DType::f32, x.type->shape};
  const bool adds_wide = is_narrow(x.type->dtype) && element_count(updates.type->shape) != 0;
  const Held sums = adds_wide ? writer.scratch(wide) : writer.result();
  writer.copy(x, sums);
  if (element_count(updates.type->shape) == 0) return;
  AddRows scatter;
  scatter.dtype = x.type->dtype, scatter.ids_dtype = ids.type->dtype;
  scatter.sums = sums.place, scatter.ids = ids.place, scatter.updates = updates.place;
  put_sizes(scatter, x.type->shape, ids.type->shape, op.dim, op.batch);
  writer.add(scatter);
  writer.copy(sums, writer.result());
}

}  // namespace isoshard::calls
