// Rows that go through several reductions in one kernel, with the bits of one kernel for each. Sixteen lanes have a
// chunk of a row and up to eight times sixteen a row, as where rows are reduced one by one (reductions.cu), so that the
// order of sums is the same; and an element is the same thread's in all passes, so that what waits for a later pass is
// in shared memory without a barrier. The number that a reduction gives is made by all lanes of the row from partial
// results that they exchange. Cost: inputs are read as often as steps say, mostly once; two barriers for each reduction
// of a row that has more than one chunk.
#include "exec/kernels/launch.h"
#include "exec/kernels/map_value.h"
#include "exec/kernels/reductions.h"

namespace isoshard::exec {
namespace {

using calls::Compute;
using calls::From;
using calls::RowMap;
using calls::RowPass;
using calls::Source;
using calls::Step;

constexpr int kRowGroups = kThreads / kPartials;

/// What reducing begins with where a lane may have no term.
template <class T>
ISOSHARD_DEVICE T neutral(Reducing op) {
  if (op == Reducing::add) return T(0);
  if constexpr (std::is_same_v<T, float>) {
    return scalar::bits_as<float>(op == Reducing::maximum ? 0xff800000U : 0x7f800000U);
  } else if constexpr (std::is_same_v<T, double>) {
    return scalar::bits_as<double>(op == Reducing::maximum ? 0xfff0000000000000ULL : 0x7ff0000000000000ULL);
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return op == Reducing::maximum ? -scalar::kGreatestInteger<int64_t> - 1 : scalar::kGreatestInteger<int64_t>;
  } else {
    return op == Reducing::maximum ? 0 : ~uint64_t{0};
  }
}

/// A thread's part of a row.
template <class T>
class RowOfThread {
 public:
  ISOSHARD_DEVICE RowOfThread(const RowMap& call, std::byte* memory, const ThreadStore<T>& store, int64_t row, int team,
                              int own)
      : call_(call), memory_(memory), store_(store), row_(row), team_(team), own_(own) {}

  ISOSHARD_DEVICE T number(int which) const { return store_.get(which); }
  ISOSHARD_DEVICE void set_number(int which, T x) const { store_.put(which, x); }

  /// What the steps for the row make of 0.
  ISOSHARD_DEVICE T of_row(int first, int end) const { return of_steps(*this, first, end, 0, 0, 1); }

  /// What the steps make of element t, which is this thread's.
  ISOSHARD_DEVICE T of_element(int first, int end, int64_t t) const {
    return of_steps(*this, first, end, t, calls::kRowNumbers + own_place(t), own_);
  }

  /// What the steps make of 0. What they keep lies from `place` on, `apart` from each other.
  ISOSHARD_DEVICE T of_steps_here(int first, int end, int64_t t, int place, int apart) const {
    T value = T(0);
    for (int s = first; s < end; ++s) {
      const Step& step = call_.steps[s];
      const T b = fetched(step.b, t, place), c = fetched(step.c, t, place);
      with_step<T>(step.op, [&](auto f) { value = f(value, b, c); });
      if (step.keep != 0) store_.put(place + (step.keep - 1) * apart, value);
    }
    return value;
  }

  ISOSHARD_DEVICE void write(int64_t t, T value) const {
    const int dims = call_.per_row != 0 ? call_.kept : call_.dims;
    write_number<T>(call_.output.dtype, memory_ + call_.output.place, offset(call_.output, t, dims), value);
  }

 private:
  /// Which of the thread's elements t is.
  ISOSHARD_DEVICE int own_place(int64_t t) const {
    const int64_t chunk = t / kChunkTerms;
    return static_cast<int>(chunk / team_ * (kChunkTerms / kPartials) + t % kChunkTerms / kPartials);
  }
  ISOSHARD_DEVICE int64_t offset(const calls::Array& array, int64_t t, int dims) const {
    const int64_t terms =
        dims == call_.kept ? 0
                           : offset_of(call_.size + call_.kept, array.stride + call_.kept, call_.dims - call_.kept, t);
    return offset_of(call_.size, array.stride, call_.kept, row_) + terms;
  }
  ISOSHARD_DEVICE T fetched(const Source& source, int64_t t, int place) const {
    switch (source.from) {
      case From::input: {
        const calls::Array& input = call_.inputs[source.which];
        return read_number<T>(input.dtype, memory_ + input.place, offset(input, t, call_.dims));
      }
      case From::slot:
        return store_.get(place + source.which * own_);
      case From::row:
        return store_.get(source.which);
      case From::number:
        return number_of<T>(source.bits);
      case From::index:
      case From::nowhere:
        break;
    }
    return T(0);
  }

  const RowMap& call_;
  std::byte* memory_;
  const ThreadStore<T>& store_;
  int64_t row_;
  int team_, own_;
};

/// Once in the code of a kernel, since steps are many.
template <class T>
ISOSHARD_DEVICE_APART T of_steps(RowOfThread<T> part, int first, int end, int64_t t, int place, int apart) {
  return part.of_steps_here(first, end, t, place, apart);
}

template <class T>
ISOSHARD_WIDE_KERNEL map_rows(ISOSHARD_GIVEN(RowMap) call, std::byte* memory, int64_t rows, int team, int own) {
  ISOSHARD_SHARED(T, of_chunks, kRowGroups * kPartials);
  const ThreadStore<T> store(calls::kRowNumbers + call.slots * own);
  const int lane = thread_in_block() % kPartials, group = thread_in_block() / kPartials, member = group % team;
  const unsigned lanes = 0xffffU << (group % 2 * kPartials);
  const int64_t teams = kRowGroups / team, step = thread_count() / kThreads * teams;
  for (int64_t first = thread_number() / kThreads * teams; first < rows; first += step) {
    const int64_t row = first + group / team;
    const bool has_row = below(row, rows);
    const RowOfThread<T> part(call, memory, store, row, team, own);
    int steps = 0;
    for (int p = 0; p < call.passes_used; ++p) {
      const RowPass& pass = call.passes[p];
      const int begin = steps + pass.row_steps, end = begin + pass.steps;
      const T of_row = has_row ? part.of_row(steps, begin) : T(0);
      const auto term = [&](int64_t t) { return part.of_element(begin, end, t); };
      steps = end;
      if (pass.reduces == 0) {
        if (has_row && call.per_row != 0 && member == 0 && lane == 0) part.write(0, of_row);
        if (!has_row || call.per_row != 0) continue;
        for (int64_t chunk = member; chunk < chunks_of(call.terms); chunk += team) {
          const int64_t last = chunk * kChunkTerms + kChunkTerms;
          for (int64_t t = chunk * kChunkTerms + lane; below(t, last < call.terms ? last : call.terms);
               t += kPartials) {
            part.write(t, term(t));
          }
        }
        continue;
      }
      with_reducing<T>(pass.op, [&](auto combine) {
        T partial = neutral<T>(pass.op);
        if (has_row) {
          for (int64_t chunk = member; chunk < chunks_of(call.terms); chunk += team) {
            const int64_t last = chunk * kChunkTerms + kChunkTerms;
            const T result = reduced_by_lanes(lanes, lane, neutral<T>(pass.op), chunk * kChunkTerms,
                                              last < call.terms ? last : call.terms, term, combine);
            if (chunk % kPartials == lane) partial = combine(partial, result);
          }
        }
        if (team > 1) {
          if (lane % team == member) of_chunks[group / team * kPartials + lane] = partial;
          sync_threads();
          partial = of_chunks[group / team * kPartials + lane];
          sync_threads();
        }
        if (has_row) part.set_number(pass.number, finished(pass.op, joined_by_lanes(lanes, partial, combine)));
      });
    }
  }
}

static_assert(calls::kMostRowBytes <= kMostSharedBytes, "rows whose values wait for a later pass");

template <class T>
void launch_rows(const RowMap& call, std::byte* memory, int64_t rows, cudaStream_t stream) {
  const auto team = static_cast<int>(calls::team_for(call.terms));
  const auto own = static_cast<int>(calls::elements_of_thread(call.terms));
  const auto shared = static_cast<unsigned>(calls::waiting_of_thread(call) * kThreads * int64_t{sizeof(T)});
  start_together("map_rows", map_rows<T>, grid_of(rows * team * kPartials, shared), stream, call, memory, rows, team,
                 own);
}

}  // namespace

void launch(const RowMap& call, std::byte* memory, cudaStream_t stream) {
  const int64_t rows = count_of(call.size, call.kept);
  if (rows == 0) return;
  switch (call.compute) {
    case Compute::f32:
      return launch_rows<float>(call, memory, rows, stream);
    case Compute::f64:
      return launch_rows<double>(call, memory, rows, stream);
    case Compute::i64:
      return launch_rows<int64_t>(call, memory, rows, stream);
    case Compute::u64:
      return launch_rows<uint64_t>(call, memory, rows, stream);
  }
}

}  // namespace isoshard::exec
