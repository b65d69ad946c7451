#pragma once

#include "core/plan/calls/sums.h"
#include "exec/kernels/arithmetic.h"

/// Sums and extremes in the order of sim/kernels/reduce.h, of what `term(t)` is for t below a count: chunks of terms,
/// whose sixteen partial results are made one by a fixed tree, and partial results of chunks in the same way.
namespace isoshard::exec {

using calls::chunks_of;
using calls::kChunkTerms;
using calls::Reducing;

inline constexpr int kPartials = 16;

/// a + b whose nan is any, since only the end of a sum makes it canonical.
template <class T>
ISOSHARD_DEVICE T plain_sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    return added(a, b);
  }
}

/// Calls `use` with what makes two terms one.
template <class T, class Use>
ISOSHARD_DEVICE void with_reducing(Reducing op, const Use& use) {
  switch (op) {
    case Reducing::add:
      return use([](T a, T b) { return plain_sum(a, b); });
    case Reducing::maximum:
      return use([](T a, T b) { return maximum(a, b); });
    case Reducing::minimum:
      return use([](T a, T b) { return minimum(a, b); });
  }
}

/// The result of a reduction, whose nan is the canonical one.
template <class T>
ISOSHARD_DEVICE T finished(Reducing op, T result) {
  return op == Reducing::add ? added(result, T(0)) : result;
}

/// Partial i takes up partial i + kStep for kStep = 8, 4, 2, 1; the steps are constants, so that partials are
/// registers.
template <int kStep, class T, class Combine>
ISOSHARD_DEVICE T joined(T* partial, const Combine& combine) {
  ISOSHARD_UNROLL
  for (int p = 0; p < kStep; ++p) partial[p] = combine(partial[p], partial[p + kStep]);
  if constexpr (kStep == 1) {
    return partial[0];
  } else {
    return joined<kStep / 2>(partial, combine);
  }
}

/// The same of partials that sixteen lanes of a warp hold, one each, by all of them. Both of a pair compute the same,
/// since what is combined may be exchanged.
template <class T, class Combine>
ISOSHARD_DEVICE T joined_by_lanes(unsigned lanes, T partial, const Combine& combine) {
  ISOSHARD_UNROLL
  for (int step = kPartials / 2; step > 0; step /= 2) partial = combine(partial, exchange(lanes, partial, step));
  return partial;
}

/// The result of terms from `first` to below `end`, at most a chunk, by one thread; partials begin as `start`.
template <class T, class Term, class Combine>
ISOSHARD_DEVICE T reduced_by_thread(T start, int64_t first, int64_t end, const Term& term, const Combine& combine) {
  T partial[kPartials];
  ISOSHARD_UNROLL
  for (int p = 0; p < kPartials; ++p) partial[p] = start;
  int64_t t = first;
  for (; below(t + kPartials, end + 1); t += kPartials) {
    ISOSHARD_UNROLL
    for (int p = 0; p < kPartials; ++p) partial[p] = combine(partial[p], term(t + p));
  }
  ISOSHARD_UNROLL
  for (int p = 0; p < kPartials; ++p) {
    if (below(t + p, end)) partial[p] = combine(partial[p], term(t + p));
  }
  return joined<kPartials / 2>(partial, combine);
}

/// The same by sixteen lanes of a warp, for each of them: lane p makes partial p. So many reads are on their way at
/// once.
template <int kAtOnce = 8, class T, class Term, class Combine>
ISOSHARD_DEVICE T reduced_by_lanes(unsigned lanes, int lane, T start, int64_t first, int64_t end, const Term& term,
                                   const Combine& combine) {
  T partial = start;
  int64_t t = first + lane;
  for (; below(t + (kAtOnce - 1) * kPartials, end); t += kAtOnce * kPartials) {
    T x[static_cast<unsigned>(kAtOnce)];
    ISOSHARD_UNROLL
    for (int e = 0; e < kAtOnce; ++e) x[e] = term(t + e * kPartials);
    ISOSHARD_UNROLL
    for (int e = 0; e < kAtOnce; ++e) partial = combine(partial, x[e]);
  }
  for (; below(t, end); t += kPartials) partial = combine(partial, term(t));
  return joined_by_lanes(lanes, partial, combine);
}

}  // namespace isoshard::exec
