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
// Extremes go the same way, though any order would do. A scalar that is the sum of a large array is made by one block.
// Cost: one pass over the input.
#include "exec/kernels/reductions.h"

#include "exec/kernels/by_dtype.h"
#include "exec/kernels/launch.h"
#include "exec/kernels/position.h"

namespace isoshard::exec {
namespace {

using calls::Reduction;

constexpr int kGroups = kThreads / kPartials, kWarps = kThreads / kWarp;

/// The terms of one output.
template <DType kDType>
struct ReadTerms {
  const Reduction& call;
  const std::byte* base;
  int64_t first;

  ISOSHARD_DEVICE ReadTerms(const Reduction& given, const std::byte* memory, int64_t output)
      : call(given),
        base(memory + given.input.place),
        first(offset_of(given.size, given.input.stride, given.dims, output)) {}

  ISOSHARD_DEVICE NumberOf<kDType> operator()(int64_t t) const {
    const int64_t offset = offset_of(call.reduced_size, call.reduced_stride, call.reduced_dims, t);
    return read_number<NumberOf<kDType>>(kDType, base, first + offset);
  }
};

/// Where partial results begin, so that each term can be taken up.
template <class T, class Term>
ISOSHARD_DEVICE T start_of(Reducing op, const Term& term) {
  return op == Reducing::add ? T(0) : term(0);
}

ISOSHARD_DEVICE int64_t end_of_chunk(int64_t chunk, int64_t terms) {
  const int64_t end = (chunk + 1) * kChunkTerms;
  return end < terms ? end : terms;
}

template <DType kDType>
ISOSHARD_KERNEL reduce(ISOSHARD_GIVEN(Reduction) call, std::byte* memory, int64_t outputs) {
  using Number = NumberOf<kDType>;
  for (int64_t i = thread_number(); below(i, outputs); i += thread_count()) {
    const ReadTerms<kDType> term(call, memory, i);
    const Number start = start_of<Number>(call.op, term);
    with_reducing<Number>(call.op, [&](auto combine) {
      const Number result = reduced_by_thread(start, 0, call.terms, term, combine);
      write_number(kDType, memory + call.output, i, finished(call.op, result));
    });
  }
}

template <DType kDType>
ISOSHARD_KERNEL reduce_rows(ISOSHARD_GIVEN(Reduction) call, std::byte* memory, int64_t outputs, int team) {
  using Number = NumberOf<kDType>;
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
        const ReadTerms<kDType> term(call, memory, i);
        const Number start = start_of<Number>(call.op, term);
        partial = start;
        for (int64_t chunk = member; chunk < chunks_of(call.terms); chunk += team) {
          const Number result =
              reduced_by_lanes(lanes, lane, start, chunk * kChunkTerms, end_of_chunk(chunk, call.terms), term, combine);
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
      if (lane == 0) write_number(kDType, memory + call.output, i, finished(call.op, result));
    });
  }
}

template <DType kDType>
ISOSHARD_WIDE_KERNEL reduce_columns(ISOSHARD_GIVEN(Reduction) call, std::byte* memory, int64_t outputs) {
  using Number = NumberOf<kDType>;
  ISOSHARD_SHARED(Number, of_chunks, kPartials * kWarp);
  const int lane = thread_in_block() % kWarp, warp = thread_in_block() / kWarp;
  const int64_t step = thread_count() / kThreads * kWarp;
  for (int64_t first = thread_number() / kThreads * kWarp; first < outputs; first += step) {
    const int64_t i = first + lane;
    const bool has_output = below(i, outputs);
    with_reducing<Number>(call.op, [&](auto combine) {
      if (has_output) {
        const ReadTerms<kDType> term(call, memory, i);
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
        write_number(kDType, memory + call.output, i, finished(call.op, result));
      }
      sync_threads();
    });
  }
}

int64_t size_of(int64_t stride) { return stride < 0 ? -stride : stride; }

/// Whether neighbours in memory are terms of one output rather than of several.
bool lies_along(const Reduction& call) {
  if (call.reduced_dims == 0) return false;
  if (call.dims == 0 || call.size[call.dims - 1] < kPartials / 2) return true;
  return size_of(call.reduced_stride[call.reduced_dims - 1]) <= size_of(call.input.stride[call.dims - 1]);
}

/// How many times sixteen lanes work on one output.
int team_for(int64_t terms) {
  int team = 1;
  while (team < kGroups && team * kChunkTerms < terms) team *= 2;
  return team;
}

}  // namespace

void launch(const Reduction& call, std::byte* memory, cudaStream_t stream) {
  constexpr int64_t kFewTerms = 2 * kPartials;
  const int64_t outputs = count_of(call.size, call.dims);
  if (outputs == 0) return;
  const bool along = lies_along(call);
  with_numeric(call.input.dtype, [&](auto dtype) {
    constexpr DType kDType = decltype(dtype)::value;
    if (call.terms < kFewTerms || (!along && call.terms <= kChunkTerms)) {
      start(reduce<kDType>, grid_of(outputs), stream, call, memory, outputs);
    } else if (along) {
      const int team = team_for(call.terms);
      start_together("reduce_rows", reduce_rows<kDType>, grid_of(outputs * team * kPartials), stream, call, memory,
                     outputs, team);
    } else {
      const int64_t blocks = (outputs + kWarp - 1) / kWarp;
      start_together("reduce_columns", reduce_columns<kDType>, grid_of_blocks(blocks), stream, call, memory, outputs);
    }
  });
}

}  // namespace isoshard::exec
