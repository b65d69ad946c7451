#pragma once

#include <cstddef>
#include <cstdint>

#include "core/value/dtype.h"

namespace isoshard::sim {

/// Rows of a matrix product, its columns, and how many products each element sums.
struct DotSizes {
  int64_t m, n, k;
};

/// A matrix as it lies in the planes of a value, distances in elements: row-major with `ld` from row to row, or turned,
/// so that these rows are the columns of the matrix.
struct DotOperand {
  const std::byte* data;
  int64_t ld;
  bool turned;
  int64_t plane;  ///< from a plane to the next
};

/// Where a row-major product without gaps between its rows goes.
struct DotResult {
  std::byte* data;
  int64_t plane;
};

/// A domain that multiplies matrices where they lie.
class InPlaceDot {
 public:
  virtual ~InPlaceDot() = default;
  /// Domain::dot of copies of `a` and `b`.
  virtual void dot_in_place(DType dtype, const DotSizes& sizes, const DotOperand& a, const DotOperand& b,
                            const DotResult& out) const = 0;
};

}  // namespace isoshard::sim
