#pragma once  // internal

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/value/dtype.h"

/// Kernels that are written by hand, for f32 and bf16. Elements are taken 16 bytes at once: counts and rows have to be
/// multiples of that.
namespace isoshard::bench {

/// x <- x / (1 + exp(-x)), computed in f32.
void apply_silu(DType dtype, std::byte* x, int64_t count, cudaStream_t stream);
/// y <- y + bias + x for rows of `row` elements, computed in f32; the bias has one row.
void add_bias_and_residual(DType dtype, std::byte* y, const std::byte* bias, const std::byte* x, int64_t count,
                           int64_t row, cudaStream_t stream);
/// A kernel of one block that does nothing.
void do_nothing(cudaStream_t stream);

}  // namespace isoshard::bench
