#pragma once  // internal

#include <cstdint>

#include "sim/kernels/gemm_turned.h"
#include "sim/kernels/isa.h"
#include "sim/kernels/mod31.h"

/// Exact products of residues by products of f64. Private to kernels.
namespace isoshard::sim::detail {

/// C[m,n] = A[m,k] · B[k,n] modulo `modulus`, entries in [0, modulus).
template <typename Word>
struct ResidueMatrices {
  std::uint64_t modulus;
  Index m, n, k;
  GemmOperand<Word> a, b;
  Word* c;
  Index ldc;
};

/// Whether a product is large enough that making limbs of its operands pays, given from how many terms on.
template <typename Word>
bool pays_by_floats(const ResidueMatrices<Word>& p, Index terms) {
  constexpr Index kLeast = 16;  // uses of each limb
  return p.m >= kLeast && p.n >= kLeast && p.k >= kLeast && p.m * p.n * p.k >= terms;
}

/// Moduli below 2^31; k > 0. `isa` must have fused multiply-adds.
void multiply_by_floats(Isa isa, const ResidueMatrices<Residue>& p);

/// Moduli below 2^61; the same otherwise.
void multiply_wide_by_floats(Isa isa, const ResidueMatrices<std::uint64_t>& p);

}  // namespace isoshard::sim::detail
