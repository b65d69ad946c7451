#pragma once

#include <cstdint>

#include "bench/table/measure/measured.h"
#include "core/value/dtype.h"

namespace isoshard::bench {

/// Sizes of C[m,n] = A[m,k] B[k,n].
struct ProductSizes {
  std::int64_t m, n, k;
};

/// OpenBLAS's time divided by ours for a product of f32 or f64. One worker is the kernel alone; two are a Plan of one
/// product on two workers, and OpenBLAS with two threads or one, whichever is faster.
Measured product_beside_open_blas(DType dtype, ProductSizes sizes, int workers);

}  // namespace isoshard::bench
