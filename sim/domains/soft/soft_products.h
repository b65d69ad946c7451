#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/domains/soft/soft_float_arrays.h"

namespace isoshard::sim {

/// Two matrices and which tables their elements are; empty where none of one has any.
struct SoftMatrices {
  DType dtype;
  DotSizes sizes;
  const std::byte *a, *b;
  std::vector<SoftFloats::Id> left, right;

  /// Where only one has tables: whether its lines are rows, of the first one, or columns of the second; its tables; and
  /// the place of an element of a line.
  bool of_rows() const { return !left.empty(); }
  const std::vector<SoftFloats::Id>& soft() const { return of_rows() ? left : right; }
  int64_t place(int64_t line, int64_t t) const { return of_rows() ? line * sizes.k + t : t * sizes.n + line; }
};

/// Products of matrices of floats that have tables. Arrays must outlive it.
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
  void multiply_both(const SoftMatrices& p, std::byte* out) const;
  std::vector<std::byte> spread_line(const SoftMatrices& p, int64_t line, SoftIntegers::Partition over) const;
  void multiply_line(const SoftMatrices& p, int64_t line, std::byte* out) const;
  void correct_mean(const SoftMatrices& p, int64_t i, int64_t j, std::byte* out) const;

  const SoftFloatArrays& arrays_;
  const ExactRing& ring_;
  SoftIntegers& integers_;
  SoftFloats& floats_;
};

}  // namespace isoshard::sim
