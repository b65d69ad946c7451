// The largest elements of rows, each row by one thread, which goes through it once for each of them: the next one is
// the first of those that come behind the one before. That needs no memory and is right for the few that programs ask
// for; a sort would be better for many. Cost: k passes.
#include "exec/kernels/arithmetic.h"
#include "exec/kernels/by_dtype.h"
#include "exec/kernels/launch.h"
#include "exec/kernels/position.h"

namespace isoshard::exec {
namespace {

using calls::Largest;

/// An element of a row.
template <class T>
struct Found {
  T number;
  int64_t index;
};

/// Larger ones come first, of equal ones those with lower indices.
template <class T>
ISOSHARD_DEVICE bool comes_first(Found<T> a, Found<T> b) {
  if (falls(a.number, b.number)) return true;
  return !falls(b.number, a.number) && a.index < b.index;
}

template <DType kDType>
ISOSHARD_KERNEL find_largest(ISOSHARD_GIVEN(Largest) call, std::byte* memory, int64_t rows) {
  using Number = NumberOf<kDType>;
  for (int64_t n = thread_number(); below(n, rows); n += thread_count()) {
    const Quotient row = divided(n, call.inner);
    const int64_t first = row.whole * call.length * call.inner + row.rest;
    Found<Number> last{Number(0), -1};
    for (int64_t j = 0; below(j, call.k); ++j) {
      Found<Number> best{Number(0), -1};
      for (int64_t t = 0; below(t, call.length); ++t) {
        const Found<Number> x{read_number<Number>(kDType, memory + call.input, first + t * call.inner), t};
        if (last.index >= 0 && !comes_first(last, x)) continue;
        if (best.index < 0 || comes_first(x, best)) best = x;
      }
      write_number(kDType, memory + call.values, n * call.k + j, best.number);
      store(memory + call.indices, n * call.k + j, static_cast<int32_t>(best.index));
      last = best;
    }
  }
}

}  // namespace

void launch(const Largest& call, std::byte* memory, cudaStream_t stream) {
  const int64_t rows = call.outer * call.inner;
  if (rows == 0) return;
  with_numeric(call.dtype, [&](auto dtype) {
    start(find_largest<decltype(dtype)::value>, grid_of(rows), stream, call, memory, rows);
  });
}

}  // namespace isoshard::exec
