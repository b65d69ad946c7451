#pragma once

#include <cstdint>
#include <vector>

#include "core/value/dtype.h"
#include "core/value/tensor.h"

namespace isoshard::sim {

/// Rounds n numbers to the nearest values of a narrow dtype, ties to even. out may be x.
void narrow(DType dtype, int64_t n, const float* x, float* out);
void narrow(DType dtype, int64_t n, const double* x, float* out);
/// The value nearest to an integer, also rounded once.
float narrow(DType dtype, int64_t integer);
float narrow(DType dtype, uint64_t integer);

/// The array of numbers that narrow() rounded, in the bits that `.npy` files and Tensors have, and back.
Tensor packed(DType dtype, const Shape& shape, const std::vector<float>& numbers);
std::vector<float> unpacked(const Tensor& tensor);

}  // namespace isoshard::sim
