// The mode of the processor, set around kernels that only add, multiply and divide. Functions keep rounding to nearest:
// their polynomials are made for it.
#include "sim/domains/floats/upward_f64.h"

#include <cfenv>

#include "sim/kernels/helpers.h"

namespace isoshard::sim {
namespace {

/// Of this thread, while it lives; others, which round to nearest, take no part.
class RoundUp {
 public:
  RoundUp() { std::fesetround(FE_UPWARD); }
  ~RoundUp() { std::fesetround(before_); }
  RoundUp(const RoundUp&) = delete;
  RoundUp& operator=(const RoundUp&) = delete;

 private:
  int before_ = std::fegetround();
  HelpersHere nobody_{nullptr};
};

bool is_function(BinaryOp op) { return op == BinaryOp::power || op == BinaryOp::remainder || op == BinaryOp::atan2; }

}  // namespace

void UpwardF64Domain::binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                             std::byte* out) const {
  if (is_function(op)) return FloatDomain::binary(op, dtype, n, x, y, out);
  const RoundUp mode;
  FloatDomain::binary(op, dtype, n, x, y, out);
}

void UpwardF64Domain::dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                          std::byte* out) const {
  const RoundUp mode;
  FloatDomain::dot(dtype, m, n, k, a, b, out);
}

void UpwardF64Domain::dot_in_place(DType dtype, const DotSizes& sizes, const DotOperand& a, const DotOperand& b,
                                   const DotResult& out) const {
  const RoundUp mode;
  FloatDomain::dot_in_place(dtype, sizes, a, b, out);
}

void UpwardF64Domain::sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  const RoundUp mode;
  FloatDomain::sum(dtype, plan, x, out);
}

void UpwardF64Domain::accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const {
  const RoundUp mode;
  FloatDomain::accumulate(dtype, n, acc, x);
}

void UpwardF64Domain::add_up(DType dtype, int64_t n, std::span<const std::byte* const> terms, std::byte* out) const {
  const RoundUp mode;
  FloatDomain::add_up(dtype, n, terms, out);
}

}  // namespace isoshard::sim
