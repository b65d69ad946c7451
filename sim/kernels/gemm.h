#pragma once

#include <cstdint>

#include "sim/kernels/isa.h"

namespace isoshard::sim {

/// C[m,n] = A[m,k] · B[k,n], all row-major with leading dimensions `lda >= k`, `ldb >= n`, `ldc >= n`, in elements.
///
/// Each element of C is one chain of fused multiply-adds over ascending k that starts at +0, so its bits depend only on
/// its row of A and its column of B: not on how m or n is split, on alignment, leading dimensions or `isa`. A NaN
/// result is the positive quiet NaN without payload. k = 0 gives +0. C must not overlap A or B. `isa` must be
/// supported.
void gemm(Isa isa, std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda, const float* b,
          std::int64_t ldb, float* c, std::int64_t ldc);
void gemm(Isa isa, std::int64_t m, std::int64_t n, std::int64_t k, const double* a, std::int64_t lda, const double* b,
          std::int64_t ldb, double* c, std::int64_t ldc);

class Mod31;  // sim/kernels/mod31.h

/// The exact product modulo `modulus`; layout as in gemm. Entries of A and B are residues, so are those of C.
void gemm_mod31(Isa isa, const Mod31& modulus, std::int64_t m, std::int64_t n, std::int64_t k, const std::uint32_t* a,
                std::int64_t lda, const std::uint32_t* b, std::int64_t ldb, std::uint32_t* c, std::int64_t ldc);

/// A row-major matrix of values, each with a bound of its absolute error (same layout, never negative, may be +inf).
struct BoundMatrix {
  const double* value;
  const double* error;
  std::int64_t ld;
};

/// As BoundMatrix, written to.
struct BoundResult {
  double* value;
  double* error;
  std::int64_t ld;
};

/// C[m,n] = A[m,k] · B[k,n] in the rounding-bound domain: the value is gemm's f64 chain, the error is
/// |A|·EB + EA·|B| + EA·EB + gamma_k·(|A|·|B|) + u·|C| with gamma_k = k·u / (1 - k·u) and u = 2^-53, raised by the
/// rounding of its own sum. A factor that is exactly 0 (value 0, error 0) makes its term 0 with error 0 where the other
/// one has a bound; an infinite error in a term makes the result's infinite. A value that is not finite has error +inf.
/// Underflow is not counted.
void gemm_bound(Isa isa, std::int64_t m, std::int64_t n, std::int64_t k, BoundMatrix a, BoundMatrix b, BoundResult c);

}  // namespace isoshard::sim
