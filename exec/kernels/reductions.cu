// Sums and extremes with the bits of sim (reductions.h). A sum is cut into chunks, so that many threads can work on
// one: lanes of a warp on the partial sums of a chunk, and neighbours of these on other chunks. What terms lie like
// decides:
//
//   one output a thread      few terms, or a chunk at most whose terms are rows apart, where neighbours read neighbours
//   sixteen lanes a chunk    terms that are neighbours; a team of up to eight times sixteen lanes has one output, and
//                            a lane keeps the result of each sixteenth chunk
//   a warp a chunk           many terms that are rows apart: a lane has an output, the four warps of a block take turns
//                            at its chunks
//
// Extremes go the same way, though any order would do. Terms are read from an array, or computed by the steps of a map,
// one after another as the map's own kernel does it. Where a few outputs have many terms, the call asks for the results
// of chunks, as if each chunk were an output, and another call joins these. Cost: one pass over the input.
#include "exec/kernels/reductions.h"

#include "core/plan/calls/rows.h"
#include "exec/kernels/by_dtype.h"
#include "exec/kernels/launch.h"
#include "exec/kernels/map_value.h"

namespace isoshard::exec {
namespace {

using calls::Compute;
using calls::JoinChunks;
using calls::Map;
using calls::ReducedMap;
using calls::Reduction;

constexpr int kGroups = kThreads / kPartials, kWarps = kThreads / kWarp;

/// The terms of one output, read from an array.
template <DType kDType>
class ReadTerms {
 public:
  using Call = Reduction;
  using Number = NumberOf<kDType>;

  ISOSHARD_DEVICE ReadTerms(const Reduction& call, std::byte* memory, int64_t output)
      : call_(call),
        base_(memory + call.input.place),
        first_(offset_of(call.size, call.input.stride, call.dims, output)) {}

  ISOSHARD_DEVICE int64_t count() const { return call_.terms; }
  ISOSHARD_DEVICE Number operator()(int64_t t) const {
    const int64_t offset = offset_of(call_.reduced_size, call_.reduced_stride, call_.reduced_dims, t);
    return read_number<Number>(kDType, base_, first_ + offset);
  }
  static ISOSHARD_DEVICE void write(const Reduction& call, std::byte* memory, int64_t output, Number result) {
    write_number(kDType, memory + call.output, output, finished(call.op, result));
  }

 private:
  const Reduction& call_;
  const std::byte* base_;
  int64_t first_;
};

/// Term `number` of all outputs: once in the code of a kernel, since steps are many.
template <class T>
ISOSHARD_DEVICE_APART T computed_term(const ReducedMap& call, std::byte* memory, int64_t number) {
  const Map& map = call.map;
  const Position at(map.size, map.dims, number);
  Slots<T, 1> slots;
  const T value = value_at(map, at, slots, memory);
  if (call.stores != 0) {
    write_number<T>(map.output.dtype, memory + map.output.place, at.dot(map.output.stride, map.dims), value);
  }
  return value;
}

/// The terms of one output, computed by steps.
template <class T>
class ComputedTerms {
 public:
  using Call = ReducedMap;
  using Number = T;

  ISOSHARD_DEVICE ComputedTerms(const ReducedMap& call, std::byte* memory, int64_t output)
      : call_(call), memory_(memory), first_(output * call.terms) {}

  ISOSHARD_DEVICE int64_t count() const { return call_.terms; }
  ISOSHARD_DEVICE T operator()(int64_t t) const { return computed_term<T>(call_, memory_, first_ + t); }
  static ISOSHARD_DEVICE void write(const ReducedMap& call, std::byte* memory, int64_t output, T result) {
    write_number(call.map.output.dtype, memory + call.output, output, finished(call.op, result));
  }

 private:
  const ReducedMap& call_;
  std::byte* memory_;
  int64_t first_;
};

/// Whether the result may lie where an input of its own terms does.
template <class Terms>
constexpr bool kMayLieInInput = false;
template <class T>
constexpr bool kMayLieInInput<ComputedTerms<T>> = true;

ISOSHARD_DEVICE int64_t end_of_chunk(int64_t chunk, int64_t terms) {
  const int64_t end = (chunk + 1) * kChunkTerms;
  return end < terms ? end : terms;
}

ISOSHARD_DEVICE int64_t outputs_of(const Reduction& call) { return device_count_of(call.size, call.dims); }
ISOSHARD_DEVICE int64_t outputs_of(const ReducedMap& call) { return device_count_of(call.map.size, call.kept); }

/// The terms of one chunk of an output. Chunks are numbered output by output, or all outputs' first ones first.
template <class Terms, bool kOutputsFirst>
class OfChunk {
 public:
  using Call = typename Terms::Call;
  using Number = typename Terms::Number;

  ISOSHARD_DEVICE OfChunk(const Call& call, std::byte* memory, int64_t number)
      : OfChunk(call, memory, place_of(call, number)) {}

  ISOSHARD_DEVICE int64_t count() const { return count_; }
  ISOSHARD_DEVICE Number operator()(int64_t t) const { return terms_(first_ + t); }
  static ISOSHARD_DEVICE void write(const Call& call, std::byte* memory, int64_t number, Number result) {
    const Quotient place = place_of(call, number);
    store(memory + call.output, place.whole * chunks_of(call.terms) + place.rest, result);
  }

 private:
  ISOSHARD_DEVICE OfChunk(const Call& call, std::byte* memory, Quotient place)
      : terms_(call, memory, place.whole),
        first_(place.rest * kChunkTerms),
        count_(end_of_chunk(place.rest, call.terms) - first_) {}

  /// The output, and the chunk of it.
  static ISOSHARD_DEVICE Quotient place_of(const Call& call, int64_t number) {
    if (!kOutputsFirst) return divided(number, chunks_of(call.terms));
    const Quotient turned = divided(number, outputs_of(call));
    return {turned.rest, turned.whole};
  }

  Terms terms_;
  int64_t first_, count_;
};

/// Where partial results begin, so that each term can be taken up.
template <class T, class Term>
ISOSHARD_DEVICE T start_of(Reducing op, const Term& term) {
  return op == Reducing::add ? T(0) : term(0);
}

template <class Terms>
ISOSHARD_WIDE_KERNEL reduce(ISOSHARD_GIVEN(typename Terms::Call) call, std::byte* memory, int64_t outputs) {
  using Number = typename Terms::Number;
  for (int64_t i = thread_number(); below(i, outputs); i += thread_count()) {
    const Terms term(call, memory, i);
    const Number start = start_of<Number>(call.op, term);
    with_reducing<Number>(call.op, [&](auto combine) {
      const Number result = reduced_by_thread(start, 0, term.count(), term, combine);
      Terms::write(call, memory, i, result);
    });
  }
}

template <class Terms>
ISOSHARD_WIDE_KERNEL reduce_rows(ISOSHARD_GIVEN(typename Terms::Call) call, std::byte* memory, int64_t outputs,
                                 int team) {
  using Number = typename Terms::Number;
  ISOSHARD_SHARED(Number, of_chunks, kGroups * kPartials);
  const int lane = thread_in_block() % kPartials, group = thread_in_block() / kPartials, member = group % team;
  const unsigned lanes = 0xffffU << (group % 2 * kPartials);
  const int64_t teams = kGroups / team, step = thread_count() / kThreads * teams;
  for (int64_t first = thread_number() / kThreads * teams; first < outputs; first += step) {
    const int64_t i = first + group / team;
    const bool has_output = below(i, outputs);
    with_reducing<Number>(call.op, [&](auto combine) {
      Number partial = 0;
      if (has_output) {
        const Terms term(call, memory, i);
        const Number start = start_of<Number>(call.op, term);
        partial = start;
        for (int64_t chunk = member; chunk < chunks_of(term.count()); chunk += team) {
          const Number result = reduced_by_lanes(lanes, lane, start, chunk * kChunkTerms,
                                                 end_of_chunk(chunk, term.count()), term, combine);
          if (chunk % kPartials == lane) partial = combine(partial, result);
        }
      }
      if (team > 1) {
        if (lane % team == member) of_chunks[group / team * kPartials + lane] = partial;
        sync_threads();
        if (member == 0) partial = of_chunks[group / team * kPartials + lane];
        sync_threads();
      }
      if (member != 0 || !has_output) return;
      const Number result = joined_by_lanes(lanes, partial, combine);
      if constexpr (kMayLieInInput<Terms>) sync_lanes(lanes);
      if (lane == 0) Terms::write(call, memory, i, result);
    });
  }
}

template <class Terms>
ISOSHARD_WIDE_KERNEL reduce_columns(ISOSHARD_GIVEN(typename Terms::Call) call, std::byte* memory, int64_t outputs) {
  using Number = typename Terms::Number;
  ISOSHARD_SHARED(Number, of_chunks, kPartials * kWarp);
  const int lane = thread_in_block() % kWarp, warp = thread_in_block() / kWarp;
  const int64_t step = thread_count() / kThreads * kWarp;
  for (int64_t first = thread_number() / kThreads * kWarp; first < outputs; first += step) {
    const int64_t i = first + lane;
    const bool has_output = below(i, outputs);
    with_reducing<Number>(call.op, [&](auto combine) {
      if (has_output) {
        const Terms term(call, memory, i);
        const Number start = start_of<Number>(call.op, term);
        for (int p = warp; p < kPartials; p += kWarps) of_chunks[p * kWarp + lane] = start;
        for (int64_t chunk = warp; chunk < chunks_of(call.terms); chunk += kWarps) {
          const Number result =
              reduced_by_thread(start, chunk * kChunkTerms, end_of_chunk(chunk, call.terms), term, combine);
          const auto partial = static_cast<int>(chunk % kPartials) * kWarp + lane;
          const Number before = of_chunks[partial];
          of_chunks[partial] = combine(before, result);
        }
      }
      sync_threads();
      if (warp == 0 && has_output) {
        Number partial[kPartials];
        ISOSHARD_UNROLL
        for (int p = 0; p < kPartials; ++p) partial[p] = of_chunks[p * kWarp + lane];
        const Number result = joined<kPartials / 2>(partial, combine);
        Terms::write(call, memory, i, result);
      }
      sync_threads();
    });
  }
}

/// The results of outputs, each of those of its chunks.
template <DType kDType>
ISOSHARD_WIDE_KERNEL join_chunks(ISOSHARD_GIVEN(JoinChunks) call, std::byte* memory) {
  using Number = NumberOf<kDType>;
  constexpr int kReadsAtOnce = 32;
  const int lane = thread_in_block() % kPartials;
  const unsigned lanes = 0xffffU << (thread_in_block() / kPartials % 2 * kPartials);
  for (int64_t i = thread_number() / kPartials; below(i, call.outputs); i += thread_count() / kPartials) {
    const auto term = [&](int64_t chunk) { return load<Number>(memory + call.input, i * call.chunks + chunk); };
    const Number start = start_of<Number>(call.op, term);
    with_reducing<Number>(call.op, [&](auto combine) {
      const Number result = reduced_by_lanes<kReadsAtOnce>(lanes, lane, start, 0, call.chunks, term, combine);
      if (lane == 0) write_number(kDType, memory + call.output, i, finished(call.op, result));
    });
  }
}

int64_t size_of(int64_t stride) { return stride < 0 ? -stride : stride; }

/// The distance of neighbours along the last of some dimensions, or along none.
int64_t last_of(const int64_t* stride, int dims) { return dims == 0 ? 0 : size_of(stride[dims - 1]); }

/// Whether neighbours in memory are terms of one output rather than of several: the last terms are as near to each
/// other as the last outputs are, or these are few.
bool lies_along(int64_t terms_apart, int64_t outputs_apart, const int64_t* size, int dims) {
  return dims == 0 || size[dims - 1] < kPartials / 2 || terms_apart <= outputs_apart;
}
bool lies_along(const Reduction& call) {
  return lies_along(last_of(call.reduced_stride, call.reduced_dims), last_of(call.input.stride, call.dims), call.size,
                    call.dims);
}
/// Of the arrays that are not the same for all terms or all outputs, the nearest decides.
bool lies_along(const ReducedMap& call) {
  constexpr int64_t kFar = int64_t{1} << 62;
  int64_t terms_apart = kFar, outputs_apart = kFar;
  for (int i = 0; i < call.map.inputs_used; ++i) {
    const int64_t* const stride = call.map.inputs[i].stride;
    const int64_t terms = last_of(stride + call.kept, call.map.dims - call.kept), outputs = last_of(stride, call.kept);
    if (terms != 0 && terms < terms_apart) terms_apart = terms;
    if (outputs != 0 && outputs < outputs_apart) outputs_apart = outputs;
  }
  return lies_along(terms_apart, outputs_apart, call.map.size, call.kept);
}

/// Each chunk as an output.
template <class Terms>
void launch_chunks(const typename Terms::Call& call, std::byte* memory, int64_t outputs, bool along,
                   unsigned shared_bytes, cudaStream_t stream) {
  const int64_t chunks = outputs * chunks_of(call.terms);
  if (along) {
    start_together("reduce_rows", reduce_rows<OfChunk<Terms, false>>, grid_of(chunks * kPartials, shared_bytes), stream,
                   call, memory, chunks, 1);
  } else {
    start(reduce<OfChunk<Terms, true>>, grid_of(chunks, shared_bytes), stream, call, memory, chunks);
  }
}

template <class Terms>
void launch_reduction(const typename Terms::Call& call, std::byte* memory, int64_t outputs, unsigned shared_bytes,
                      cudaStream_t stream) {
  constexpr int64_t kFewTerms = 2 * kPartials;
  const bool along = lies_along(call);
  if (call.chunks_apart != 0) return launch_chunks<Terms>(call, memory, outputs, along, shared_bytes, stream);
  if (call.terms < kFewTerms || (!along && call.terms <= kChunkTerms)) {
    start(reduce<Terms>, grid_of(outputs, shared_bytes), stream, call, memory, outputs);
  } else if (along) {
    const auto team = static_cast<int>(calls::team_for(call.terms));
    start_together("reduce_rows", reduce_rows<Terms>, grid_of(outputs * team * kPartials, shared_bytes), stream, call,
                   memory, outputs, team);
  } else {
    start_together("reduce_columns", reduce_columns<Terms>, grid_of_blocks((outputs + kWarp - 1) / kWarp, shared_bytes),
                   stream, call, memory, outputs);
  }
}

}  // namespace

void launch(const Reduction& call, std::byte* memory, cudaStream_t stream) {
  const int64_t outputs = count_of(call.size, call.dims);
  if (outputs == 0) return;
  with_numeric(call.input.dtype, [&](auto dtype) {
    launch_reduction<ReadTerms<decltype(dtype)::value>>(call, memory, outputs, 0, stream);
  });
}

void launch(const ReducedMap& call, std::byte* memory, cudaStream_t stream) {
  const int64_t outputs = count_of(call.map.size, call.kept);
  if (outputs == 0) return;
  const auto shared = [&](size_t bytes) { return static_cast<unsigned>(slots_used(call.map) * kThreads * bytes); };
  switch (call.map.compute) {
    case Compute::f32:
      return launch_reduction<ComputedTerms<float>>(call, memory, outputs, shared(sizeof(float)), stream);
    case Compute::f64:
      return launch_reduction<ComputedTerms<double>>(call, memory, outputs, shared(sizeof(double)), stream);
    case Compute::i64:
      return launch_reduction<ComputedTerms<int64_t>>(call, memory, outputs, shared(sizeof(int64_t)), stream);
    case Compute::u64:
      return launch_reduction<ComputedTerms<uint64_t>>(call, memory, outputs, shared(sizeof(uint64_t)), stream);
  }
}

void launch(const JoinChunks& call, std::byte* memory, cudaStream_t stream) {
  if (call.outputs == 0) return;
  with_numeric(call.dtype, [&](auto dtype) {
    start_together("join_chunks", join_chunks<decltype(dtype)::value>, grid_of(call.outputs * kPartials), stream, call,
                   memory);
  });
}

}  // namespace isoshard::exec
