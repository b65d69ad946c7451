#pragma once

#include "core/plan/calls/kernels.h"
#include "core/support/host_device.h"

/// Kernels that bring elements together. Floats of fewer than 32 bits are added in f32 and rounded once, integers wrap.
namespace isoshard::calls {

enum class Reducing : uint8_t { add, maximum, minimum };

/// Terms of a chunk of a sum.
inline constexpr int64_t kChunkTerms = 512;
ISOSHARD_HOST_DEVICE constexpr int64_t chunks_of(int64_t terms) { return (terms + kChunkTerms - 1) / kChunkTerms; }

/// From so many terms on, a few outputs are made in two calls: the results of chunks, by as many blocks as there are
/// chunks to share, and then those of outputs. One call has a block for each output, and a GPU has place for hundreds.
inline constexpr int64_t kTermsApart = 32 * kChunkTerms;
inline constexpr int64_t kOutputsApart = 256;

/// output[i] = the sum or extreme of the elements of input at i and each of the `terms` indices below `reduced_size`,
/// row-major; at least one. Sums are those of sim/kernels/reduce.h (docs/spec/calls.md, "Sums").
struct Reduction {
  Reducing op = Reducing::add;
  int32_t dims = 0;
  int32_t reduced_dims = 0;
  int64_t size[kMostDims]{};
  int64_t reduced_size[kMostDims]{};
  int64_t terms = 0;
  Array input{};                        ///< strides of the dimensions of the output
  int64_t reduced_stride[kMostDims]{};  ///< of the input, in elements
  Place output = 0;                     ///< row-major, of the dtype of the input
  int64_t chunks_apart = 0;             ///< 1: the output has a result for each chunk of terms, for a JoinChunks
};

/// output[i] = the sum or extreme of the results of `chunks` chunks, input[i, ..], in the order of sim. The input has
/// numbers that the dtype is computed in, f32, f64, i64 or u64, not rounded to it; both are row-major.
struct JoinChunks {
  Reducing op = Reducing::add;
  DType dtype = DType::f32;
  Place input = 0, output = 0;
  int64_t outputs = 0, chunks = 0;
};

/// The same of what steps compute: of the elements of `map`, whose first `kept` dimensions are those of the output and
/// whose others, row-major, number the terms. Steps give numbers of the dtype of its output, which is that of the
/// result.
struct ReducedMap {
  Reducing op = Reducing::add;
  int32_t kept = 0;
  int64_t terms = 0;
  int64_t stores = 0;        ///< 1: terms are also written to the output of `map`; of sums only
  int64_t chunks_apart = 0;  ///< as of a Reduction
  Place output = 0;          ///< row-major
  Map map{};
};

/// output[i] = the sum over the `terms` indices k below `summed_size`, row-major, of a[i, k] · b[i, k]: of floats one
/// chain of fused multiply-adds in ascending order that begins at +0 (docs/adr/0005-own-matmul.md).
struct SumOfProducts {
  int32_t dims = 0;
  int32_t summed_dims = 0;
  int64_t size[kMostDims]{};
  int64_t summed_size[kMostDims]{};
  int64_t terms = 0;                                     ///< 0 gives +0
  Array a{}, b{};                                        ///< of one dtype; strides of the dimensions of the output
  int64_t a_summed[kMostDims]{}, b_summed[kMostDims]{};  ///< strides of the summed dimensions, in elements
  Place output = 0;                                      ///< row-major, of that dtype
};

/// output[o, t, i] = input[o, 0, i] + ... + input[o, t, i], added in this order; both are row-major.
struct RunningSum {
  DType dtype = DType::f32;
  Place input = 0, output = 0;
  int64_t outer = 0, length = 0, inner = 0;
};

/// The k largest of input[o, .., i], the largest first, nan before all and of equal ones the first, as values[o, i, k]
/// and their i32 indices[o, i, k]; all are row-major.
struct Largest {
  DType dtype = DType::f32;
  Place input = 0, values = 0, indices = 0;
  int64_t outer = 0, length = 0, inner = 0, k = 0;
};

static_assert(std::is_trivially_copyable_v<ReducedMap> && sizeof(ReducedMap) <= 4096, "an argument of a kernel");
static_assert(std::is_trivially_copyable_v<SumOfProducts> && sizeof(SumOfProducts) <= 4096, "an argument of a kernel");

}  // namespace isoshard::calls
