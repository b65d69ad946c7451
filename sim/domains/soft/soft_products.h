#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/domains/soft/soft_float_arrays.h"

namespace isoshard::sim {

/// Two matrices of which both have tables, and which tables their elements are.
struct SoftMatrices {
  DType dtype;
  DotSizes sizes;
  const std::byte *a, *b;
  std::vector<SoftFloats::Id> left, right;
};

/// Products of matrices that both have tables. Arrays must outlive it.
class SoftProducts {
 public:
  explicit SoftProducts(const SoftFloatArrays& arrays)
      : arrays_(arrays), ring_(arrays.ring()), integers_(arrays.integers()), floats_(arrays.floats()) {}

  /// The elements of `out` are products of means so far.
  void multiply(const SoftMatrices& matrices, std::byte* out) const;

 private:
  SoftFloat table_at(SoftFloats::Id id, DType dtype, int64_t n, const std::byte* x, int64_t i) const;
  std::optional<SoftFloat> combined(BinaryOp op, DType dtype, const SoftFloat& x, const SoftFloat& y,
                                    size_t most) const;
  std::optional<SoftFloat> small_product(const SoftMatrices& p, int64_t i, int64_t j) const;
  void correct_mean(const SoftMatrices& p, int64_t i, int64_t j, std::byte* out) const;

  const SoftFloatArrays& arrays_;
  const ExactRing& ring_;
  SoftIntegers& integers_;
  SoftFloats& floats_;
};

}  // namespace isoshard::sim
