#pragma once

#include <cstdint>

#include "sim/kernels/reduce.h"

/// i32 arithmetic, the same in every domain: modulo 2^32, so computed on uint32. `out` may be an operand.
namespace isoshard::sim::integer {

void negate(int64_t n, const uint32_t* x, uint32_t* out);
void add(int64_t n, const uint32_t* x, const uint32_t* y, uint32_t* out);
void subtract(int64_t n, const uint32_t* x, const uint32_t* y, uint32_t* out);
void multiply(int64_t n, const uint32_t* x, const uint32_t* y, uint32_t* out);
/// out[m, n] = a[m, k] . b[k, n], row-major; out must not overlap the operands.
void dot(int64_t m, int64_t n, int64_t k, const uint32_t* a, const uint32_t* b, uint32_t* out);
/// Sums over the reduced dimensions of `plan`; out must not overlap x.
void sum(const ReducePlan& plan, const uint32_t* x, uint32_t* out);

}  // namespace isoshard::sim::integer
