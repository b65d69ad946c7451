// Sums and extremes with the bits of sim, by threads that each make an output of their own. A sum has sixteen partial
// sums in registers, of every sixteenth element, and a fixed tree behind them (sim/kernels/reduce.h); a product is one
// chain of fused multiply-adds (sim/kernels/gemm.h). Neighbouring threads have neighbouring outputs, so that reads come
// together where the last dimension stays, and sixteen neighbours of a thread where it is summed. Cost: one pass over
// the input of a reduction or cumulative sum; of a product 2 flops and two reads a term, far from what a GPU can do.
#include "exec/kernels/arithmetic.h"
#include "exec/kernels/by_dtype.h"
#include "exec/kernels/launch.h"
#include "exec/kernels/position.h"

namespace isoshard::exec {
namespace {

using calls::Reducing;
using calls::Reduction;
using calls::RunningSum;
using calls::SumOfProducts;

constexpr int kPartials = 16;

/// a + b whose nan is any, since only the end of a sum makes it canonical.
template <class T>
ISOSHARD_DEVICE T plain_sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    return added(a, b);
  }
}

/// Partial i takes up partial i + kStep for kStep = 8, 4, 2, 1; the steps are constants, so that partials are
/// registers.
template <int kStep, class T>
ISOSHARD_DEVICE T joined(T* partial) {
  ISOSHARD_UNROLL
  for (int p = 0; p < kStep; ++p) partial[p] = plain_sum(partial[p], partial[p + kStep]);
  if constexpr (kStep == 1) {
    return partial[0];
  } else {
    return joined<kStep / 2>(partial);
  }
}

/// The sum of term(0), ..., term(count - 1).
template <class T, class Term>
ISOSHARD_DEVICE T sum_in_partials(int64_t count, const Term& term) {
  T partial[kPartials] = {};
  int64_t t = 0;
  for (; t + kPartials <= count; t += kPartials) {
    ISOSHARD_UNROLL
    for (int p = 0; p < kPartials; ++p) partial[p] = plain_sum(partial[p], term(t + p));
  }
  ISOSHARD_UNROLL
  for (int p = 0; p < kPartials; ++p) {
    if (t + p < count) partial[p] = plain_sum(partial[p], term(t + p));
  }
  return joined<kPartials / 2>(partial);
}

template <DType kDType>
ISOSHARD_KERNEL reduce(ISOSHARD_GIVEN(Reduction) call, std::byte* memory, int64_t outputs) {
  using Number = NumberOf<kDType>;
  for (int64_t i = thread_number(); i < outputs; i += thread_count()) {
    const int64_t first = offset_of(call.size, call.input.stride, call.dims, i);
    const auto term = [&](int64_t t) {
      const int64_t offset = offset_of(call.reduced_size, call.reduced_stride, call.reduced_dims, t);
      return read_number<Number>(kDType, memory + call.input.place, first + offset);
    };
    Number result = term(0);
    if (call.op == Reducing::add) {
      result = added(sum_in_partials<Number>(call.terms, term), Number(0));
    } else if (call.op == Reducing::maximum) {
      for (int64_t t = 1; t < call.terms; ++t) result = maximum(result, term(t));
    } else {
      for (int64_t t = 1; t < call.terms; ++t) result = minimum(result, term(t));
    }
    write_number(kDType, memory + call.output, i, result);
  }
}

template <DType kDType>
ISOSHARD_KERNEL multiply_and_sum(ISOSHARD_GIVEN(SumOfProducts) call, std::byte* memory, int64_t outputs) {
  using Number = NumberOf<kDType>;
  for (int64_t i = thread_number(); i < outputs; i += thread_count()) {
    const Position at(call.size, call.dims, i);
    const int64_t a_first = at.dot(call.a.stride, call.dims), b_first = at.dot(call.b.stride, call.dims);
    Number sum = 0;
    for (int64_t t = 0; t < call.terms; ++t) {
      const Position term(call.summed_size, call.summed_dims, t);
      const auto a =
          read_number<Number>(kDType, memory + call.a.place, a_first + term.dot(call.a_summed, call.summed_dims));
      const auto b =
          read_number<Number>(kDType, memory + call.b.place, b_first + term.dot(call.b_summed, call.summed_dims));
      sum = multiply_added(a, b, sum);
    }
    if constexpr (std::is_floating_point_v<Number>) sum = scalar::canonical(sum);
    write_number(kDType, memory + call.output, i, sum);
  }
}

template <DType kDType>
ISOSHARD_KERNEL sum_along(ISOSHARD_GIVEN(RunningSum) call, std::byte* memory, int64_t lines) {
  using Number = NumberOf<kDType>;
  for (int64_t n = thread_number(); n < lines; n += thread_count()) {
    const Quotient line = divided(n, call.inner);
    const int64_t first = line.whole * call.length * call.inner + line.rest;
    auto sum = read_number<Number>(kDType, memory + call.input, first);
    write_number(kDType, memory + call.output, first, sum);
    for (int64_t t = 1; t < call.length; ++t) {
      sum = added(sum, read_number<Number>(kDType, memory + call.input, first + t * call.inner));
      write_number(kDType, memory + call.output, first + t * call.inner, sum);
    }
  }
}

}  // namespace

void launch(const Reduction& call, std::byte* memory, cudaStream_t stream) {
  const int64_t outputs = count_of(call.size, call.dims);
  if (outputs == 0) return;
  with_numeric(call.input.dtype, [&](auto dtype) {
    start(reduce<decltype(dtype)::value>, grid_of(outputs), stream, call, memory, outputs);
  });
}

void launch(const SumOfProducts& call, std::byte* memory, cudaStream_t stream) {
  const int64_t outputs = count_of(call.size, call.dims);
  if (outputs == 0) return;
  with_numeric(call.a.dtype, [&](auto dtype) {
    start(multiply_and_sum<decltype(dtype)::value>, grid_of(outputs), stream, call, memory, outputs);
  });
}

void launch(const RunningSum& call, std::byte* memory, cudaStream_t stream) {
  const int64_t lines = call.outer * call.inner;
  if (lines == 0 || call.length == 0) return;
  with_numeric(call.dtype, [&](auto dtype) {
    start(sum_along<decltype(dtype)::value>, grid_of(lines), stream, call, memory, lines);
  });
}

}  // namespace isoshard::exec
