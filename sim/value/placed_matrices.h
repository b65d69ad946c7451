#pragma once

#include <vector>

#include "sim/value/dot_operand.h"
#include "sim/value/value.h"

namespace isoshard::sim {

/// How many indices `dims` of `shape` have together.
int64_t size_over(const Shape& shape, const std::vector<int64_t>& dims);

/// All of `batch`, `first` and `second`, in this order.
std::vector<int64_t> joined(std::vector<int64_t> batch, const std::vector<int64_t>& first,
                            const std::vector<int64_t>& second);

/// The matrices [first, second] of a value, one for each index of the dimensions `batch`: where they lie if rows or
/// columns lie together, otherwise in a transposed copy.
class PlacedMatrices {
 public:
  PlacedMatrices(const Value& x, const std::vector<int64_t>& batch, const std::vector<int64_t>& first,
                 const std::vector<int64_t>& second);

  /// The matrix at batch index i.
  DotOperand matrix(int64_t i) const;

 private:
  Value value_;  ///< keeps the elements alive
  int64_t ld_ = 1;
  bool turned_ = false;
  std::vector<int64_t> starts_;  ///< per matrix, in elements
};

}  // namespace isoshard::sim
