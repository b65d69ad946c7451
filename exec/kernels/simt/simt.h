#pragma once

/// Kernels, compiled for GPUs by nvcc (gpu.h) or, the same sources, for the CPU by any compiler (cpu.h).
#if defined(__CUDACC__)
#include "exec/kernels/simt/gpu.h"
#else
#include "exec/kernels/simt/cpu.h"
#endif
