// Products and running sums with the bits of sim, by threads that each make an output of their own: a product is one
// chain of fused multiply-adds (sim/kernels/gemm.h), a running sum one of additions. Neighbouring threads have
// neighbouring outputs, so that reads come together where the last dimension stays. Cost: of a product 2 flops and two
// reads a term, far from what a GPU can do; one pass over the input of a running sum.
#include "exec/kernels/arithmetic.h"
#include "exec/kernels/by_dtype.h"
#include "exec/kernels/launch.h"
#include "exec/kernels/position.h"

namespace isoshard::exec {
namespace {

using calls::RunningSum;
using calls::SumOfProducts;

template <DType kDType>
ISOSHARD_KERNEL multiply_and_sum(ISOSHARD_GIVEN(SumOfProducts) call, std::byte* memory, int64_t outputs) {
  using Number = NumberOf<kDType>;
  for (int64_t i = thread_number(); below(i, outputs); i += thread_count()) {
    const Position at(call.size, call.dims, i);
    const int64_t a_first = at.dot(call.a.stride, call.dims), b_first = at.dot(call.b.stride, call.dims);
    Number sum = 0;
    for (int64_t t = 0; below(t, call.terms); ++t) {
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
  for (int64_t n = thread_number(); below(n, lines); n += thread_count()) {
    const Quotient line = divided(n, call.inner);
    const int64_t first = line.whole * call.length * call.inner + line.rest;
    auto sum = read_number<Number>(kDType, memory + call.input, first);
    write_number(kDType, memory + call.output, first, sum);
    for (int64_t t = 1; below(t, call.length); ++t) {
      sum = added(sum, read_number<Number>(kDType, memory + call.input, first + t * call.inner));
      write_number(kDType, memory + call.output, first + t * call.inner, sum);
    }
  }
}

}  // namespace

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
