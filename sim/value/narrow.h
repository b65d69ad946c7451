#pragma once

#include <cstdint>

#include "core/support/rational.h"
#include "core/value/dtype.h"

namespace isoshard::sim {

constexpr bool is_narrow(DType dtype) { return dtype == DType::bf16 || dtype == DType::f16; }

/// Rounds n numbers to the nearest values of bf16 or f16, ties to even. out may be x.
void narrow(DType dtype, int64_t n, const float* x, float* out);
void narrow(DType dtype, int64_t n, const double* x, float* out);
/// The value nearest to a constant or an integer, also rounded once.
float narrow(DType dtype, const Rational& constant);
float narrow(DType dtype, int64_t integer);

/// The 16 bits of numbers that narrow() rounded, as `.npy` files and Tensors have them, and back.
void pack(DType dtype, int64_t n, const float* x, uint16_t* out);
void unpack(DType dtype, int64_t n, const uint16_t* x, float* out);

}  // namespace isoshard::sim
