// Elementwise chains by an interpreter: a kernel reads a list of steps, the same for all threads, and applies each to a
// value that stays in registers; what is needed again waits in slots (docs/adr/0052-what-a-gpu-said.md). Chains of f32
// and narrower floats through arrays without gaps are done by sixteen elements per thread with accesses of up to 16
// bytes, which comes to 0.93 to 0.98 of a copy; all others, with any strides, by one element per thread, also those
// with functions that take many registers. What only moves elements is a copy of words, which knows no dtype. Cost: one
// pass.
#include "exec/kernels/launch.h"
#include "exec/kernels/map_value.h"

namespace isoshard::exec {
namespace {

using calls::Compute;
using calls::From;
using calls::Map;
using calls::Source;
using calls::Step;

/// Elements from `first` on.
template <class T>
ISOSHARD_KERNEL map_each(ISOSHARD_GIVEN(Map) map, std::byte* memory, int64_t first, int64_t count) {
  Slots<T, 1> slots;
  for (int64_t i = first + thread_number(); below(i, count); i += thread_count()) {
    const Position at(map.size, map.dims, i);
    const T value = value_at(map, at, slots, memory);
    write_number<T>(map.output.dtype, memory + map.output.place, at.dot(map.output.stride, map.dims), value);
  }
}

// Sixteen elements per thread: four neighbours four times, as many threads apart as a block has.

constexpr int kWide = 4, kMany = 4 * kWide;
constexpr int64_t kBlockElements = int64_t{kMany} * kThreads;

/// Where the four elements of a thread begin, the w-th time.
ISOSHARD_DEVICE int64_t four_at(int64_t block_first, int64_t thread, int w) {
  return block_first + (w * kThreads + thread) * 4;
}

template <class Bits>
struct alignas(4 * sizeof(Bits)) Four {
  Bits x[4];
};

template <class Bits, class Widen>
ISOSHARD_DEVICE void read_fours(const std::byte* base, int64_t first, int64_t thread, float* x, const Widen& widen) {
  ISOSHARD_UNROLL
  for (int w = 0; w < kWide; ++w) {
    const auto four = load<Four<Bits>>(base, four_at(first, thread, w) / 4);
    ISOSHARD_UNROLL
    for (int e = 0; e < 4; ++e) x[4 * w + e] = widen(four.x[e]);
  }
}

template <class Bits, class Narrow>
ISOSHARD_DEVICE void write_fours(std::byte* base, int64_t first, int64_t thread, const float* x, const Narrow& narrow) {
  ISOSHARD_UNROLL
  for (int w = 0; w < kWide; ++w) {
    Four<Bits> four;
    ISOSHARD_UNROLL
    for (int e = 0; e < 4; ++e) four.x[e] = narrow(x[4 * w + e]);
    store(base, four_at(first, thread, w) / 4, four);
  }
}

template <class Function>
ISOSHARD_DEVICE void all_of_many(const Function& f) {
  ISOSHARD_UNROLL
  for (int e = 0; e < kMany; ++e) f(e);
}

ISOSHARD_DEVICE void read_many(DType dtype, const std::byte* base, int64_t first, int64_t thread, float* x) {
  switch (dtype) {
    case DType::bf16:
      return read_fours<uint16_t>(base, first, thread, x, [](uint16_t b) { return scalar::widened<scalar::Bf16>(b); });
    case DType::f16:
      return read_fours<uint16_t>(base, first, thread, x, [](uint16_t b) { return scalar::widened<scalar::F16>(b); });
    case DType::f8e4m3:
      return read_fours<uint8_t>(base, first, thread, x, [](uint8_t b) { return scalar::widened<scalar::F8E4M3>(b); });
    case DType::f8e5m2:
      return read_fours<uint8_t>(base, first, thread, x, [](uint8_t b) { return scalar::widened<scalar::F8E5M2>(b); });
    case DType::pred:
      return read_fours<uint8_t>(base, first, thread, x, [](uint8_t b) { return static_cast<float>(b); });
    default:
      return read_fours<float>(base, first, thread, x, [](float b) { return b; });
  }
}

ISOSHARD_DEVICE void write_many(DType dtype, std::byte* base, int64_t first, int64_t thread, const float* x) {
  switch (dtype) {
    case DType::bf16:
      return write_fours<uint16_t>(base, first, thread, x, [](float v) { return bits_narrowed<scalar::Bf16>(v); });
    case DType::f16:
      return write_fours<uint16_t>(base, first, thread, x, [](float v) { return bits_narrowed<scalar::F16>(v); });
    case DType::f8e4m3:
      return write_fours<uint8_t>(base, first, thread, x, [](float v) { return bits_narrowed<scalar::F8E4M3>(v); });
    case DType::f8e5m2:
      return write_fours<uint8_t>(base, first, thread, x, [](float v) { return bits_narrowed<scalar::F8E5M2>(v); });
    case DType::pred:
      return write_fours<uint8_t>(base, first, thread, x, [](float v) { return static_cast<uint8_t>(v != 0 ? 1 : 0); });
    default:
      return write_fours<float>(base, first, thread, x, [](float v) { return v; });
  }
}

ISOSHARD_DEVICE void fetch_many(const Source& source, const Map& map, int64_t first, int64_t thread,
                                Slots<float, kMany>& slots, const std::byte* memory, float* x) {
  if (source.from == From::input) {
    const calls::Array& input = map.inputs[source.which];
    const std::byte* base = memory + input.place;
    if (input.stride[0] != 0) return read_many(input.dtype, base, first, thread, x);
    const float one = read_number<float>(input.dtype, base, 0);
    all_of_many([&](int e) { x[e] = one; });
  } else if (source.from == From::slot) {
    all_of_many([&](int e) { x[e] = slots.at(source.which, e); });
  } else if (source.from == From::number) {
    const float one = number_of<float>(source.bits);
    all_of_many([&](int e) { x[e] = one; });
  }
}

/// All elements of full blocks of kBlockElements.
ISOSHARD_KERNEL map_many(ISOSHARD_GIVEN(Map) map, std::byte* memory, int64_t blocks) {
  Slots<float, kMany> slots;
  const int64_t thread = thread_number() % kThreads;
  for (int64_t block = thread_number() / kThreads; below(block, blocks); block += thread_count() / kThreads) {
    const int64_t first = block * kBlockElements;
    float value[kMany] = {}, b[kMany] = {}, c[kMany] = {};
    for (int s = 0; s < map.steps_used; ++s) {
      const Step& step = map.steps[s];
      fetch_many(step.b, map, first, thread, slots, memory, b);
      if (step.op == StepOp::select) fetch_many(step.c, map, first, thread, slots, memory, c);
      with_float_step<float>(step.op, [&](auto f) { all_of_many([&](int e) { value[e] = f(value[e], b[e], c[e]); }); });
      if (step.keep != 0) all_of_many([&](int e) { slots.at(step.keep - 1, e) = value[e]; });
    }
    write_many(map.output.dtype, memory + map.output.place, first, thread, value);
  }
}

bool is_read_in_fours(DType dtype) { return dtype == DType::pred || (is_float(dtype) && dtype != DType::f64); }

/// Whether fours of the array can be accessed at once, or all of it is one element.
bool in_fours(const calls::Array& array, bool may_repeat) {
  if (!is_read_in_fours(array.dtype)) return false;
  if (may_repeat && array.stride[0] == 0) return true;
  return array.stride[0] == 1 && array.place % static_cast<int64_t>(4 * info(array.dtype).bytes) == 0;
}

bool can_be_many(const Map& map) {
  if (map.compute != Compute::f32 || map.dims != 1 || !in_fours(map.output, false)) return false;
  for (int i = 0; i < map.inputs_used; ++i) {
    if (!in_fours(map.inputs[i], true)) return false;
  }
  for (int s = 0; s < map.steps_used; ++s) {
    const Step& step = map.steps[s];
    if (is_rare(step.op) || step.b.from == From::index || step.c.from == From::index) return false;
  }
  return true;
}

template <class T>
void launch_each(const Map& map, std::byte* memory, int64_t first, int64_t count, cudaStream_t stream) {
  if (first == count) return;
  const auto shared = static_cast<unsigned>(slots_used(map) * kThreads * sizeof(T));
  start(map_each<T>, grid_of(count - first, shared), stream, map, memory, first, count);
}

void launch_f32(const Map& map, std::byte* memory, int64_t count, cudaStream_t stream) {
  const int64_t blocks = can_be_many(map) ? count / kBlockElements : 0;
  if (blocks != 0) {
    const auto shared = static_cast<unsigned>(slots_used(map) * kBlockElements * sizeof(float));
    start(map_many, grid_of(blocks * kThreads, shared), stream, map, memory, blocks);
  }
  launch_each<float>(map, memory, blocks * kBlockElements, count, stream);
}

/// Whether elements are only moved.
bool is_copy(const Map& map) {
  const Step& step = map.steps[0];
  return map.steps_used == 1 && step.op == StepOp::take && step.b.from == From::input &&
         map.inputs[step.b.which].dtype == map.output.dtype;
}

}  // namespace

void launch(const Map& map, std::byte* memory, cudaStream_t stream) {
  const int64_t count = count_of(map.size, map.dims);
  if (count == 0) return;
  if (is_copy(map)) {
    calls::BlockCopy copy{map.dims, false, {}, map.inputs[map.steps[0].b.which], map.output, {}};
    for (int d = 0; d < map.dims; ++d) copy.size[d] = map.size[d];
    return launch(copy, memory, stream);
  }
  switch (map.compute) {
    case Compute::f32:
      return launch_f32(map, memory, count, stream);
    case Compute::f64:
      return launch_each<double>(map, memory, 0, count, stream);
    case Compute::i64:
      return launch_each<int64_t>(map, memory, 0, count, stream);
    case Compute::u64:
      return launch_each<uint64_t>(map, memory, 0, count, stream);
  }
}

}  // namespace isoshard::exec
