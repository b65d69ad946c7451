// Elementwise kernels as they are written by hand: 16 bytes a thread at once, arithmetic in f32 with CUDA's own
// exponential, one rounding at the end. On a CPU the same source runs as those of exec do (exec/kernels/simt). Cost:
// one read and one write of each element, of the residual one more read.
#include "bench/gpu/by_hand/kernels.h"

#include <cmath>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#endif

#include "core/ir/scalar/narrow.h"
#include "exec/kernels/simt/simt.h"

namespace isoshard::bench {
namespace {

using exec::below;
using exec::grid_of;
using exec::start;
using exec::thread_count;
using exec::thread_number;

#if defined(__CUDACC__)
using Bf16 = __nv_bfloat16;
ISOSHARD_DEVICE float widened(Bf16 x) { return __bfloat162float(x); }
ISOSHARD_DEVICE void put(Bf16& to, float x) { to = __float2bfloat16_rn(x); }
#else
struct Bf16 {
  uint16_t bits;
};
float widened(Bf16 x) { return scalar::widened<scalar::Bf16>(x.bits); }
void put(Bf16& to, float x) { to.bits = scalar::narrow_bits<scalar::Bf16>(scalar::narrowed<scalar::Bf16>(x)); }
#endif
ISOSHARD_DEVICE float widened(float x) { return x; }
ISOSHARD_DEVICE void put(float& to, float x) { to = x; }

/// What a thread takes at once.
template <class Element>
struct alignas(16) Pack {
  static constexpr unsigned kCount = 16 / sizeof(Element);
  Element at[16 / sizeof(Element)];
};

template <class Element>
ISOSHARD_KERNEL silu(Pack<Element>* x, int64_t packs) {
  for (int64_t i = thread_number(); below(i, packs); i += thread_count()) {
    Pack<Element> pack = x[i];
    ISOSHARD_UNROLL
    for (unsigned e = 0; e < Pack<Element>::kCount; ++e) {
      const float number = widened(pack.at[e]);
      put(pack.at[e], number / (1.0F + expf(-number)));
    }
    x[i] = pack;
  }
}

template <class Element>
ISOSHARD_KERNEL bias_and_residual(Pack<Element>* y, const Pack<Element>* bias, const Pack<Element>* x, int64_t packs,
                                  int64_t row) {
  for (int64_t i = thread_number(); below(i, packs); i += thread_count()) {
    Pack<Element> sum = y[i];
    const Pack<Element> more = bias[i % row], residual = x[i];
    ISOSHARD_UNROLL
    for (unsigned e = 0; e < Pack<Element>::kCount; ++e) {
      put(sum.at[e], widened(sum.at[e]) + widened(more.at[e]) + widened(residual.at[e]));
    }
    y[i] = sum;
  }
}

ISOSHARD_KERNEL nothing(int) {}

template <class Element>
const Pack<Element>* packs_at(const std::byte* bytes) {
  return reinterpret_cast<const Pack<Element>*>(bytes);
}
template <class Element>
Pack<Element>* packs_at(std::byte* bytes) {
  return reinterpret_cast<Pack<Element>*>(bytes);
}

template <class Element>
void start_silu(std::byte* x, int64_t count, cudaStream_t stream) {
  const int64_t packs = count / Pack<Element>::kCount;
  start(silu<Element>, grid_of(packs), stream, packs_at<Element>(x), packs);
}

template <class Element>
void start_bias_and_residual(std::byte* y, const std::byte* bias, const std::byte* x, int64_t count, int64_t row,
                             cudaStream_t stream) {
  constexpr int kCount = Pack<Element>::kCount;
  start(bias_and_residual<Element>, grid_of(count / kCount), stream, packs_at<Element>(y), packs_at<Element>(bias),
        packs_at<Element>(x), count / kCount, row / kCount);
}

}  // namespace

void apply_silu(DType dtype, std::byte* x, int64_t count, cudaStream_t stream) {
  dtype == DType::bf16 ? start_silu<Bf16>(x, count, stream) : start_silu<float>(x, count, stream);
}

void add_bias_and_residual(DType dtype, std::byte* y, const std::byte* bias, const std::byte* x, int64_t count,
                           int64_t row, cudaStream_t stream) {
  dtype == DType::bf16 ? start_bias_and_residual<Bf16>(y, bias, x, count, row, stream)
                       : start_bias_and_residual<float>(y, bias, x, count, row, stream);
}

void do_nothing(cudaStream_t stream) { start(nothing, exec::Grid{}, stream, 0); }

}  // namespace isoshard::bench
