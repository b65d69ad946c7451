#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#else
#include <type_traits>
#endif

/// Kernels in which each thread works alone, compiled for GPUs by nvcc or, the same sources, for the CPU by any
/// compiler: there a launch hands a loop over all threads to its stream.
#if defined(__CUDACC__)
#define ISOSHARD_DEVICE __device__ __forceinline__
#define ISOSHARD_DEVICE_APART static __device__ __noinline__
#define ISOSHARD_KERNEL __global__ void __launch_bounds__(isoshard::exec::kThreads, 4)
#define ISOSHARD_GIVEN(Type) const __grid_constant__ Type
#define ISOSHARD_UNROLL _Pragma("unroll")
#else
#define ISOSHARD_DEVICE inline
#define ISOSHARD_DEVICE_APART inline
#define ISOSHARD_KERNEL void
#define ISOSHARD_GIVEN(Type) const Type&
#define ISOSHARD_UNROLL

typedef struct CUstream_st* cudaStream_t;
/// Does `run(work)` on the stream, after all that it was given before, with a copy of the bytes of `work`, since the
/// device may be in another process: a kernel, which is told `given`. The stand-in for CUDA on the CPU has it.
void standin_launch(cudaStream_t stream, void (*run)(const void* work), const void* work, size_t bytes,
                    const void* given, size_t given_bytes);
#endif

namespace isoshard::exec {

/// Threads of every block.
inline constexpr int kThreads = 128;

/// How many blocks run, and with how much shared memory.
struct Grid {
  unsigned blocks = 1;
  unsigned shared_bytes = 0;
};

/// Enough blocks for so many threads' work, but not more than keep any GPU busy: threads go on with what is left.
inline Grid grid_of(int64_t threads, unsigned shared_bytes = 0) {
  constexpr int64_t kMostBlocks = 8192;
  const int64_t blocks = (threads + kThreads - 1) / kThreads;
  return {static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks), shared_bytes};
}

#if defined(__CUDACC__)

ISOSHARD_DEVICE int64_t thread_number() { return int64_t{blockIdx.x} * kThreads + threadIdx.x; }
ISOSHARD_DEVICE int64_t thread_count() { return int64_t{gridDim.x} * kThreads; }

template <class... Parameters, class... Arguments>
void start(void (*kernel)(Parameters...), Grid grid, cudaStream_t stream, const Arguments&... arguments) {
  kernel<<<grid.blocks, kThreads, grid.shared_bytes, stream>>>(arguments...);
}

/// kMany values of T for each of few slots of a thread. They are in shared memory, a thread's beside its neighbours'.
template <class T, unsigned kMany>
class Slots {
 public:
  __device__ __forceinline__ T& at(int slot, int i) {
    extern __shared__ unsigned long long kept[];
    return reinterpret_cast<T*>(
        kept)[(static_cast<unsigned>(slot) * kMany + static_cast<unsigned>(i)) * kThreads + threadIdx.x];
  }
};

#else

/// Which thread a CPU is at.
struct ThreadPlace {
  int64_t number = 0, count = 0;
};
inline thread_local ThreadPlace this_thread;

inline int64_t thread_number() { return this_thread.number; }
inline int64_t thread_count() { return this_thread.count; }

template <class... Parameters, class Call, class... Arguments>
void start(void (*kernel)(Parameters...), Grid grid, cudaStream_t stream, const Call& call,
           const Arguments&... arguments) {
  const auto all_threads = [kernel, grid, call, arguments...] {
    const int64_t count = int64_t{grid.blocks} * kThreads;
    for (int64_t i = 0; i < count; ++i) {
      this_thread = ThreadPlace{i, count};
      kernel(call, arguments...);
    }
  };
  using Work = decltype(all_threads);
  static_assert(std::is_trivially_copyable_v<Work> && alignof(Work) <= alignof(std::max_align_t));
  const auto run = [](const void* work) { (*static_cast<const Work*>(work))(); };
  standin_launch(stream, run, &all_threads, sizeof all_threads, &call, sizeof call);
}

template <class T, unsigned kMany>
class Slots {
 public:
  T& at(int slot, int i) { return kept_[static_cast<unsigned>(slot)][static_cast<unsigned>(i)]; }

 private:
  static constexpr int kMost = 4;
  T kept_[kMost][kMany];
};

#endif

}  // namespace isoshard::exec
