#pragma once

#include "core/plan/calls/kernels.h"

/// Kernels that read from memory which elements are meant.
namespace isoshard::calls {

/// How far a block is moved: by the sum of `stride` · the integer at `place`, clamped to 0 .. `most`.
struct Starts {
  int32_t count = 0;
  DType dtype[kMostDims]{};
  Place place[kMostDims]{};
  int64_t most[kMostDims]{};
  int64_t stride[kMostDims]{};  ///< in elements of what is moved in
};

/// Copies elements as they are: output[i] = input[i] with the block moved by `starts` in the input, or in the output.
struct BlockCopy {
  int32_t dims = 0;
  bool moves_output = false;
  int64_t size[kMostDims]{};
  Array input{}, output{};  ///< of one dtype
  Starts starts{};
};

/// output[b, p, i, q] = input[b, p, ids[b, i], q], where an index outside of the `rows` is the nearest one; all are
/// row-major.
struct TakeRows {
  DType dtype = DType::f32;
  DType ids_dtype = DType::i32;
  Place input = 0, ids = 0, output = 0;
  int64_t batch = 0, outer = 0, rows = 0, picks = 0, inner = 0;  ///< sizes of b, p, the indexed dimension, i, q
};

/// Adds updates[b, p, i, q] to sums[b, p, ids[b, i], q] in ascending order of i, unless the index is outside of the
/// `rows`; all are row-major.
struct AddRows {
  DType dtype = DType::f32;  ///< of the updates; sums of narrower floats are of f32
  DType ids_dtype = DType::i32;
  Place sums = 0, ids = 0, updates = 0;
  int64_t batch = 0, outer = 0, rows = 0, picks = 0, inner = 0;
};

static_assert(std::is_trivially_copyable_v<BlockCopy> && sizeof(BlockCopy) <= 4096, "an argument of a kernel");

}  // namespace isoshard::calls
