#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "exec/kernels/simt/grid.h"

/// What kernels are made of on a GPU.
#define ISOSHARD_DEVICE_APART static __device__ __noinline__
#define ISOSHARD_KERNEL __global__ void __launch_bounds__(isoshard::exec::kThreads, 4)
/// A kernel that needs more registers.
#define ISOSHARD_WIDE_KERNEL __global__ void __launch_bounds__(isoshard::exec::kThreads, 3)
#define ISOSHARD_GIVEN(Type) const __grid_constant__ Type
#define ISOSHARD_UNROLL _Pragma("unroll")
/// An array that the threads of a block share.
#define ISOSHARD_SHARED(Type, name, count)                                                                \
  static_assert(sizeof(Type) * (count) <= 4096, "a kernel with more asks for it (kSharedWithoutAsking)"); \
  __shared__ Type name[count]

namespace isoshard::exec {

ISOSHARD_DEVICE int64_t thread_number() { return int64_t{blockIdx.x} * kThreads + threadIdx.x; }
ISOSHARD_DEVICE int64_t thread_count() { return int64_t{gridDim.x} * kThreads; }
ISOSHARD_DEVICE int thread_in_block() { return static_cast<int>(threadIdx.x); }
/// Whether i is below the bound of a loop or an array.
ISOSHARD_DEVICE bool below(int64_t i, int64_t bound) { return i < bound; }
/// Kernels say what they access in memory of the device, for those who watch.
ISOSHARD_DEVICE void note_access(const std::byte*, int64_t, bool) {}

/// All threads of the block come here before any goes on.
ISOSHARD_DEVICE void sync_threads() { __syncthreads(); }
/// These lanes of the warp come here before any goes on, and see what the others wrote; a lane is always in the same
/// group of them.
ISOSHARD_DEVICE void sync_lanes(unsigned lanes) { __syncwarp(lanes); }
/// x of the lane whose number differs in `bits`; all lanes of the warp that `lanes` has bits of come here.
template <class T>
ISOSHARD_DEVICE T exchange(unsigned lanes, T x, int bits) {
  return __shfl_xor_sync(lanes, x, bits);
}

/// Shared memory, of launches, that a kernel has without asking: of 48 KB what its own arrays (ISOSHARD_SHARED) leave.
inline constexpr unsigned kSharedWithoutAsking = (48U - 4U) << 10;

/// Starts a kernel whose threads work alone. More shared memory is asked for as the same number each time, since ranks
/// may be threads that launch a kernel at once; asking is no work of a stream, so that a graph may be captured
/// meanwhile, as PyTorch does around its flash attention.
template <class... Parameters, class... Arguments>
void start(void (*kernel)(Parameters...), Grid grid, cudaStream_t stream, const Arguments&... arguments) {
  if (grid.shared_bytes > kSharedWithoutAsking) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kMostSharedBytes));
  }
  kernel<<<grid.blocks, kThreads, grid.shared_bytes, stream>>>(arguments...);
}
/// Starts a kernel whose threads wait for each other.
template <class... Parameters, class... Arguments>
void start_together(const char*, void (*kernel)(Parameters...), Grid grid, cudaStream_t stream,
                    const Arguments&... arguments) {
  start(kernel, grid, stream, arguments...);
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

/// So many numbers of a thread, in shared memory, a thread's beside its neighbours'.
template <class T>
class ThreadStore {
 public:
  explicit __device__ ThreadStore(int) {}
  __device__ __forceinline__ T get(int i) const { return slots_.at(i, 0); }
  __device__ __forceinline__ void put(int i, T x) const { slots_.at(i, 0) = x; }

 private:
  mutable Slots<T, 1> slots_;
};

}  // namespace isoshard::exec
