// Keys and random bits: each element is an encryption of its own (core/value/threefry_cipher.h), so that a device makes
// its block without the others. In the original layout, where elements come in pairs, each of a pair is encrypted
// again. Cost: one encryption per element; two more in original arrays of 2^32 elements.
#include "core/value/threefry_cipher.h"
#include "exec/kernels/launch.h"
#include "exec/kernels/position.h"
#include "exec/kernels/starts.h"

namespace isoshard::exec {
namespace {

using calls::FoldIn;
using calls::RandomBits;
using calls::SplitKey;

ISOSHARD_KERNEL fold_in_all(ISOSHARD_GIVEN(FoldIn) call, std::byte* memory) {
  for (int64_t i = thread_number(); below(i, call.count); i += thread_count()) {
    const auto data = load<uint32_t>(memory + call.data, call.one_number ? 0 : i);
    store(memory + call.output, i, threefry::fold_in(load<uint64_t>(memory + call.keys, i), data));
  }
}

ISOSHARD_KERNEL split_key(ISOSHARD_GIVEN(SplitKey) call, std::byte* memory) {
  const auto key = load<uint64_t>(memory + call.key, 0);
  for (int64_t i = thread_number(); below(i, call.count); i += thread_count()) {
    store(memory + call.output, i, threefry::split(key, i, call.count, call.layout));
  }
}

ISOSHARD_KERNEL make_bits(ISOSHARD_GIVEN(RandomBits) call, std::byte* memory, int64_t count) {
  const auto key = load<uint64_t>(memory + call.key, 0);
  const int64_t first = moved_by(call.starts, memory);
  for (int64_t i = thread_number(); below(i, count); i += thread_count()) {
    const int64_t index = first + offset_of(call.size, call.stride, call.dims, i);
    store(memory + call.output, i, threefry::random_word(key, index, call.whole, call.layout));
  }
}

}  // namespace

void launch(const FoldIn& call, std::byte* memory, cudaStream_t stream) {
  if (call.count != 0) start(fold_in_all, grid_of(call.count), stream, call, memory);
}

void launch(const SplitKey& call, std::byte* memory, cudaStream_t stream) {
  if (call.count != 0) start(split_key, grid_of(call.count), stream, call, memory);
}

void launch(const RandomBits& call, std::byte* memory, cudaStream_t stream) {
  const int64_t count = count_of(call.size, call.dims);
  if (count != 0) start(make_bits, grid_of(count), stream, call, memory, count);
}

}  // namespace isoshard::exec
