#pragma once  // internal

#include <cstdint>

#include "sim/kernels/elementwise.h"

namespace isoshard::sim {

/// Elementwise ops on n values and then their n error bounds, adjacent; `out` may be an operand.
void unary_bound(UnaryOp op, int64_t n, const double* x, double* out);
void binary_bound(BinaryOp op, int64_t n, const double* x, const double* y, double* out);

}  // namespace isoshard::sim
