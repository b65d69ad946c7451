// Ops on keys, whose kernels make each element by itself. The block of random bits is one of an array whose dimensions
// have the strides of the whole. Cost: dimensions.
#include "core/plan/calls/writing/op_calls.h"

namespace isoshard::calls {

void write(const RngFoldIn&, CallWriter& writer) {
  const Held &keys = writer.operand(0), &data = writer.operand(1);
  FoldIn fold;
  fold.keys = keys.place, fold.data = data.place, fold.output = writer.result().place;
  fold.count = element_count(keys.type->shape);
  fold.one_number = data.type->shape.empty();
  writer.add(fold);
}

void write(const RngSplit& op, CallWriter& writer) {
  writer.add(SplitKey{writer.operand(0).place, writer.result().place, op.n, op.key_layout});
}

void write(const RngBits& op, CallWriter& writer) {
  const Shape& whole = op.whole();
  const std::vector<int64_t> strides = row_major(whole);
  Loops loops(1);
  for (size_t d = 0; d < op.shape.size(); ++d) loops.add(op.shape[d], {strides[d]});
  if (element_count(op.shape) == 0 || !writer.fits(loops) || !starts_fit(whole, op.shape, writer)) return;
  RandomBits bits;
  bits.dims = loops.dims();
  bits.layout = op.key_layout;
  loops.put_sizes(bits.size);
  loops.put_strides(0, bits.stride);
  bits.whole = element_count(whole);
  if (writer.operand_count() > 1) bits.starts = starts_of(writer, 1, whole, op.shape);
  bits.key = writer.operand(0).place, bits.output = writer.result().place;
  writer.add(bits);
}

}  // namespace isoshard::calls
