#pragma once

#include "sim/domains/floats/f32_f64.h"

namespace isoshard::sim {

/// f64, where sums, products and quotients are rounded up instead of to nearest. What is exact stays as it is, so that
/// a tie stays one; how far results are from those of FloatDomain tells how much rounding matters to them (Kahan, "How
/// futile are mindless assessments of roundoff", 2006). Padding is numbers.
class UpwardF64Domain final : public FloatDomain {
 public:
  UpwardF64Domain() : FloatDomain(Precision::f64, FloatPadding::numbers) {}

  std::string_view name() const override { return "f64, rounded up"; }
  void binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
           std::byte* out) const override;
  void dot_in_place(DType dtype, const DotSizes& sizes, const DotOperand& a, const DotOperand& b,
                    const DotResult& out) const override;
  void sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const override;
  void accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const override;
  void add_up(DType dtype, int64_t n, std::span<const std::byte* const> terms, std::byte* out) const override;
};

}  // namespace isoshard::sim
