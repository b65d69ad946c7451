#include "sim/domains/floats/f32_f64.h"
#include "sim/domains/residues/ring_a.h"
#include "sim/kernels/gemm_turned.h"

namespace isoshard::sim {
namespace {

template <typename T>
GemmOperand<T> plane(const DotOperand& x, int64_t index) {
  return {reinterpret_cast<const T*>(x.data) + index * x.plane, x.ld, x.turned};
}

template <typename T>
void product(const DotSizes& sizes, const DotOperand& a, const DotOperand& b, std::byte* out) {
  gemm(best_isa(), sizes.m, sizes.n, sizes.k, plane<T>(a, 0), plane<T>(b, 0), reinterpret_cast<T*>(out), sizes.n);
}

}  // namespace

void FloatDomain::dot_in_place(DType dtype, const DotSizes& sizes, const DotOperand& a, const DotOperand& b,
                               const DotResult& out) const {
  if (format(dtype) == DType::f64) return product<double>(sizes, a, b, out.data);
  product<float>(sizes, a, b, out.data);
  finish_sum(dtype, sizes.m * sizes.n, out.data);
}

void RingDomain::dot_in_place(DType, const DotSizes& sizes, const DotOperand& a, const DotOperand& b,
                              const DotResult& out) const {
  for (int64_t l = 0; l < static_cast<int64_t>(lanes()); ++l) {
    gemm_mod31(best_isa(), moduli()[static_cast<size_t>(l)], sizes.m, sizes.n, sizes.k, plane<Residue>(a, l),
               plane<Residue>(b, l), reinterpret_cast<Residue*>(out.data) + l * out.plane, sizes.n);
  }
}

}  // namespace isoshard::sim
