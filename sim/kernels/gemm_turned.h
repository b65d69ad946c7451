#pragma once

#include <cstdint>

#include "sim/kernels/isa.h"

namespace isoshard::sim {

class Mod31;  // sim/kernels/mod31.h

/// An operand of a product as it lies in memory: row-major with `ld` elements from row to row, or turned, so that these
/// rows are the columns of the matrix.
template <typename T>
struct GemmOperand {
  const T* data;
  std::int64_t ld;
  bool turned = false;
};

/// gemm of operands that may lie turned: A as [k, m] with ld >= m, B as [n, k] with ld >= k. The same bits as gemm of
/// copies that do not.
void gemm(Isa isa, std::int64_t m, std::int64_t n, std::int64_t k, GemmOperand<float> a, GemmOperand<float> b, float* c,
          std::int64_t ldc);
void gemm(Isa isa, std::int64_t m, std::int64_t n, std::int64_t k, GemmOperand<double> a, GemmOperand<double> b,
          double* c, std::int64_t ldc);
void gemm_mod31(Isa isa, const Mod31& modulus, std::int64_t m, std::int64_t n, std::int64_t k,
                GemmOperand<std::uint32_t> a, GemmOperand<std::uint32_t> b, std::uint32_t* c, std::int64_t ldc);

}  // namespace isoshard::sim
