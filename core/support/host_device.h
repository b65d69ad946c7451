#pragma once

/// A function that a device has, too, where nvcc compiles it.
#if defined(__CUDACC__)
#define ISOSHARD_HOST_DEVICE __host__ __device__
#else
#define ISOSHARD_HOST_DEVICE
#endif

/// A function that must be inlined into loops, so that each loop is compiled for its own instruction set.
#if defined(__CUDACC__)
#define ISOSHARD_SCALAR ISOSHARD_HOST_DEVICE __forceinline__
#else
#define ISOSHARD_SCALAR inline __attribute__((always_inline))
#endif
