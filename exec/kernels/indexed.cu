// Copies of elements, at places that are read from memory or not, and sums at such places. Elements move as words of
// their size, and where nothing but memory is behind each other as 16 bytes. A scatter gives a thread a column of all
// rows and goes through the updates in ascending order, so that no two threads meet and the order of additions is that
// of sim; it has as many threads as rows have elements. Cost: one pass over the result; of a scatter one over the
// updates.
#include "exec/kernels/arithmetic.h"
#include "exec/kernels/by_dtype.h"
#include "exec/kernels/launch.h"
#include "exec/kernels/position.h"
#include "exec/kernels/starts.h"

namespace isoshard::exec {
namespace {

using calls::AddRows;
using calls::BlockCopy;
using calls::TakeRows;

template <class Word>
ISOSHARD_KERNEL copy_block(ISOSHARD_GIVEN(BlockCopy) call, std::byte* memory, int64_t count) {
  const int64_t moved = moved_by(call.starts, memory);
  const int64_t input_first = call.moves_output ? 0 : moved, output_first = call.moves_output ? moved : 0;
  const std::byte* input = memory + call.input.place;
  std::byte* output = memory + call.output.place;
  for (int64_t i = thread_number(); below(i, count); i += thread_count()) {
    int64_t from = i * call.input.stride[0], to = i * call.output.stride[0];
    if (call.dims != 1) {
      const Position at(call.size, call.dims, i);
      from = at.dot(call.input.stride, call.dims), to = at.dot(call.output.stride, call.dims);
    }
    store(output, output_first + to, load<Word>(input, input_first + from));
  }
}

/// The same copy of as many 16 bytes, where it is one of them.
bool widened(BlockCopy& call) {
  const int64_t bytes = static_cast<int64_t>(info(call.output.dtype).bytes);
  constexpr int64_t kWide = sizeof(WideWord);
  if (call.starts.count != 0 || call.dims != 1 || call.input.stride[0] != 1 || call.output.stride[0] != 1) return false;
  if ((call.size[0] * bytes | call.input.place | call.output.place) % kWide != 0) return false;
  call.size[0] = call.size[0] * bytes / kWide;
  return true;
}

template <class Word>
ISOSHARD_KERNEL gather(ISOSHARD_GIVEN(TakeRows) call, std::byte* memory, int64_t count) {
  for (int64_t n = thread_number(); below(n, count); n += thread_count()) {
    const Quotient pick = divided(n, call.inner);          // (b, p, i) and q
    const Quotient row = divided(pick.whole, call.picks);  // (b, p) and i
    const int64_t b = divided(row.whole, call.outer).whole;
    const int64_t id = read_index(call.ids_dtype, memory + call.ids, b * call.picks + row.rest);
    const int64_t from = (row.whole * call.rows + limited(id, call.rows - 1)) * call.inner + pick.rest;
    store(memory + call.output, n, load<Word>(memory + call.input, from));
  }
}

/// The same of as many 16 bytes, where each row is some of them.
bool widened(TakeRows& call) {
  const int64_t bytes = static_cast<int64_t>(info(call.dtype).bytes);
  constexpr int64_t kWide = sizeof(WideWord);
  if ((call.inner * bytes | call.input | call.output) % kWide != 0) return false;
  call.inner = call.inner * bytes / kWide;
  return true;
}

template <DType kDType, DType kSum>
ISOSHARD_KERNEL scatter(ISOSHARD_GIVEN(AddRows) call, std::byte* memory, int64_t columns) {
  using Number = NumberOf<kDType>;
  for (int64_t n = thread_number(); below(n, columns); n += thread_count()) {
    const Quotient column = divided(n, call.inner);  // (b, p) and q
    const int64_t b = divided(column.whole, call.outer).whole;
    for (int64_t i = 0; below(i, call.picks); ++i) {
      const int64_t id = read_index(call.ids_dtype, memory + call.ids, b * call.picks + i);
      if (id < 0 || id >= call.rows) continue;
      const int64_t from = (column.whole * call.picks + i) * call.inner + column.rest;
      const int64_t to = (column.whole * call.rows + id) * call.inner + column.rest;
      const auto update = read_number<Number>(kDType, memory + call.updates, from);
      const auto sum = read_number<Number>(kSum, memory + call.sums, to);
      write_number(kSum, memory + call.sums, to, added(sum, update));
    }
  }
}

}  // namespace

void launch(const BlockCopy& call, std::byte* memory, cudaStream_t stream) {
  BlockCopy copy = call;
  const size_t bytes = widened(copy) ? sizeof(WideWord) : info(call.output.dtype).bytes;
  const int64_t count = count_of(copy.size, copy.dims);
  if (count == 0) return;
  with_word(bytes, [&](auto word) { start(copy_block<decltype(word)>, grid_of(count), stream, copy, memory, count); });
}

void launch(const TakeRows& call, std::byte* memory, cudaStream_t stream) {
  TakeRows rows = call;
  const size_t bytes = widened(rows) ? sizeof(WideWord) : info(call.dtype).bytes;
  const int64_t count = rows.batch * rows.outer * rows.picks * rows.inner;
  if (count == 0) return;
  with_word(bytes, [&](auto word) { start(gather<decltype(word)>, grid_of(count), stream, rows, memory, count); });
}

void launch(const AddRows& call, std::byte* memory, cudaStream_t stream) {
  const int64_t columns = call.batch * call.outer * call.inner;
  if (columns == 0 || call.picks == 0) return;
  with_numeric(call.dtype, [&](auto dtype) {
    constexpr DType kDType = decltype(dtype)::value, kSum = is_narrow(kDType) ? DType::f32 : kDType;
    start(scatter<kDType, kSum>, grid_of(columns), stream, call, memory, columns);
  });
}

}  // namespace isoshard::exec
