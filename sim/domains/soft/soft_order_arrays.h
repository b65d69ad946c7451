#pragma once

#include <vector>

#include "sim/domains/soft/soft_float_arrays.h"
#include "sim/domains/soft/tables/soft_order.h"

namespace isoshard::sim {

/// Notes in which order exponentials and softmaxes are.
class SoftOrderArrays {
 public:
  explicit SoftOrderArrays(const SoftFloatArrays& arrays) : arrays_(arrays) {}

  void note_exponentials(DType dtype, int64_t n, const std::byte* x, const std::byte* result) const;
  void note_quotients(int64_t n, const std::byte* x, const std::byte* y, const std::byte* result) const;
  void note_sums(const ReducePlan& plan, const std::byte* x, const std::byte* result) const;
  std::vector<std::byte> ordered_row(DType dtype, int64_t length, std::vector<std::byte> row) const;

 private:
  const SoftFloatArrays& arrays_;
  mutable SoftOrder order_;
};

}  // namespace isoshard::sim
