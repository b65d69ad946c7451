#pragma once

#include <cstdint>

#include "sim/domains/floats/bounded.h"

namespace isoshard::sim {

/// What a run may give that rounds each op in its own dtype and adds in any order: the value of the formula in f64
/// (plane 0) with a bound of the distance of such a run from it (plane 1), on inputs of their dtypes.
///
/// To the bounds of BoundedDomain each op adds its own rounding (docs/spec/float_bounds.md, "Bounds of runs"). Sums
/// over a group may round in the dtype after each of at most `members` terms, as NCCL does. What may overflow has no
/// bound, nor what an exact 0 makes of it. f8 that are multiplied in fewer bits than f32 are not covered. Ties are
/// those of BoundedDomain: with one, bounds of a run say nothing.
class RunBoundDomain final : public BoundedDomain {
 public:
  /// With `tf32`, products of f32 may round their operands to 11 bits first.
  explicit RunBoundDomain(int64_t members, bool tf32 = false) : members_(static_cast<double>(members)), tf32_(tf32) {}

  std::string_view name() const override { return "bounds of a run"; }
  void constant(const Rational& constant, DType dtype, std::byte* out) const override;
  void from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const override;
  void from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const override;
  void from_unsigned(DType dtype, int64_t n, const uint64_t* x, std::byte* out) const override;
  void convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
           std::byte* out) const override;
  void sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const override;
  void accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const override;
  void finish_sum(DType dtype, int64_t n, std::byte* sum) const override;

 private:
  double members_;
  bool tf32_;
};

}  // namespace isoshard::sim
