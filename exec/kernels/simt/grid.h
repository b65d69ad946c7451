#pragma once

#include <cstddef>
#include <cstdint>

#if defined(ISOSHARD_WATCHED)
#include "exec/kernels/simt/trial.h"
#endif

#if defined(__CUDACC__)
#define ISOSHARD_DEVICE __device__ __forceinline__
#else
#define ISOSHARD_DEVICE inline
#endif

/// How many threads a kernel has.
namespace isoshard::exec {

/// Threads of every block, and how many of them exchange what is in their registers.
inline constexpr int kThreads = 128;
inline constexpr int kWarp = 32;

/// The most shared memory that a launch may ask for, beside what a kernel has of its own; sm_80 has 163 KB for a block.
inline constexpr unsigned kMostSharedBytes = 64U << 10;

/// How many blocks run, and with how much shared memory.
struct Grid {
  unsigned blocks = 1;
  unsigned shared_bytes = 0;
};

/// Not more blocks than keep any GPU busy; tests may have fewer.
#if defined(ISOSHARD_WATCHED)
inline int64_t most_blocks() { return trial().most_blocks; }
#else
inline int64_t most_blocks() { return 8192; }
#endif

/// So many blocks, or the most: they go on with what is left.
inline Grid grid_of_blocks(int64_t blocks, unsigned shared_bytes = 0) {
  return {static_cast<unsigned>(blocks < most_blocks() ? blocks : most_blocks()), shared_bytes};
}

/// Enough blocks for so many threads' work.
inline Grid grid_of(int64_t threads, unsigned shared_bytes = 0) {
  return grid_of_blocks((threads + kThreads - 1) / kThreads, shared_bytes);
}

}  // namespace isoshard::exec
