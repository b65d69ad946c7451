#include "sim/domains/turned_dot.h"

#include "sim/domains/f32_f64.h"
#include "sim/kernels/gemm_turned.h"

namespace isoshard::sim {
namespace {

template <typename T>
void product(const DotSizes& sizes, DotOperand a, DotOperand b, std::byte* out) {
  const auto operand = [](DotOperand x, int64_t rows, int64_t columns) {
    return GemmOperand<T>{reinterpret_cast<const T*>(x.data), x.turned ? rows : columns, x.turned};
  };
  const auto [m, n, k] = sizes;
  gemm(best_isa(), m, n, k, operand(a, m, k), operand(b, k, n), reinterpret_cast<T*>(out), n);
}

}  // namespace

bool takes_turned(const Domain& domain) { return dynamic_cast<const FloatDomain*>(&domain) != nullptr; }

void turned_dot(const Domain& domain, DType dtype, const DotSizes& sizes, DotOperand a, DotOperand b, std::byte* out) {
  if (domain.storage(dtype).element_bytes == sizeof(double)) return product<double>(sizes, a, b, out);
  product<float>(sizes, a, b, out);
  domain.finish_sum(dtype, sizes.m * sizes.n, out);
}

}  // namespace isoshard::sim
