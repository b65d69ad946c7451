#pragma once

#include <cstdint>

#include "sim/kernels/isa.h"

namespace isoshard::sim {

/// C[m,n] = A[m,k] · B[k,n], exact modulo `modulus`, which is odd and below 2^61; all row-major without gaps, entries
/// in [0, modulus). C must not overlap A or B.
void gemm_modulo(Isa isa, std::uint64_t modulus, Index m, Index n, Index k, const std::uint64_t* a,
                 const std::uint64_t* b, std::uint64_t* c);

}  // namespace isoshard::sim
