#pragma once

#include "core/plan/calls/kernels.h"
#include "exec/kernels/simt/simt.h"

/// Indices of kernels that go through several dimensions.
namespace isoshard::exec {

struct Quotient {
  int64_t whole, rest;
};

/// x / y of numbers that are not negative; GPUs divide 32 bits in a quarter of the time.
ISOSHARD_DEVICE Quotient divided(int64_t x, int64_t y) {
  if (((x | y) >> 32) == 0) {
    const auto a = static_cast<uint32_t>(x), b = static_cast<uint32_t>(y);
    const uint32_t whole = a / b;
    return {whole, a - whole * b};
  }
  const int64_t whole = x / y;
  return {whole, x - whole * y};
}

/// The indices of element `number`, row-major. They stay in registers, so that loops over them are to be unrolled.
struct Position {
  int64_t index[calls::kMostDims];

  ISOSHARD_DEVICE Position(const int64_t* size, int dims, int64_t number) {
    ISOSHARD_UNROLL
    for (int d = calls::kMostDims - 1; d >= 0; --d) {
      index[d] = 0;
      if (d >= dims) continue;
      if (d == 0) {
        index[d] = number;
        continue;
      }
      const Quotient q = divided(number, size[d]);
      index[d] = q.rest;
      number = q.whole;
    }
  }

  ISOSHARD_DEVICE int64_t dot(const int64_t* stride, int dims) const {
    int64_t sum = 0;
    ISOSHARD_UNROLL
    for (int d = 0; d < calls::kMostDims; ++d) {
      if (d < dims) sum += index[d] * stride[d];
    }
    return sum;
  }

  ISOSHARD_DEVICE int64_t along(int dim) const {
    int64_t result = 0;
    ISOSHARD_UNROLL
    for (int d = 0; d < calls::kMostDims; ++d) {
      if (d == dim) result = index[d];
    }
    return result;
  }
};

/// Where element `number` of several dimensions is: once in the code of a kernel that asks many times.
ISOSHARD_DEVICE_APART int64_t offset_in_dims(const int64_t* size, const int64_t* stride, int dims, int64_t number) {
  return Position(size, dims, number).dot(stride, dims);
}

/// Where element `number` of some dimensions is, without a division where there is but one.
ISOSHARD_DEVICE int64_t offset_of(const int64_t* size, const int64_t* stride, int dims, int64_t number) {
  return dims == 1 ? number * stride[0] : offset_in_dims(size, stride, dims, number);
}

/// The same for a kernel.
ISOSHARD_DEVICE int64_t device_count_of(const int64_t* size, int dims) {
  int64_t count = 1;
  for (int d = 0; d < dims; ++d) count *= size[d];
  return count;
}

/// The number of elements of these sizes.
inline int64_t count_of(const int64_t* size, int dims) {
  int64_t count = 1;
  for (int d = 0; d < dims; ++d) count *= size[d];
  return count;
}

}  // namespace isoshard::exec
