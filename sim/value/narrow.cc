// Rounds to floats of 16 and 8 bits, which are held in f32 everywhere, and packs them for archives. Rounding twice, to
// f64 and then to fewer bits, can give the wrong neighbour; large integers are therefore rounded to odd first (S.
// Boldo, G. Melquiond 2005), after which the second rounding is right. Cost: one pass.
#include "sim/value/narrow.h"

#include <algorithm>
#include <span>

#include "core/ir/scalar/integers.h"
#include "core/ir/scalar/narrow_dtypes.h"

namespace isoshard::sim {
namespace {

template <class T>
void narrow_all(DType dtype, int64_t n, const T* x, float* out) {
  scalar::with_narrow(dtype, [&](auto format) {
    using Narrow = decltype(format);
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(scalar::narrowed<Narrow>(x[i]));
  });
}

float narrow_one(DType dtype, double x) {
  float result = 0;
  narrow_all(dtype, 1, &x, &result);
  return result;
}

}  // namespace

void narrow(DType dtype, int64_t n, const float* x, float* out) { narrow_all(dtype, n, x, out); }
void narrow(DType dtype, int64_t n, const double* x, float* out) { narrow_all(dtype, n, x, out); }

float narrow(DType dtype, int64_t integer) { return narrow_one(dtype, scalar::odd_double(integer)); }
float narrow(DType dtype, uint64_t integer) { return narrow_one(dtype, scalar::odd_double(integer)); }

Tensor packed(DType dtype, const Shape& shape, const std::vector<float>& numbers) {
  Tensor result;
  scalar::with_narrow(dtype, [&](auto format) {
    using Narrow = decltype(format);
    std::vector<typename Narrow::Bits> bits(numbers.size());
    std::transform(numbers.begin(), numbers.end(), bits.begin(), scalar::narrow_bits<Narrow>);
    result = Tensor::from_bytes(dtype, shape, std::as_bytes(std::span(bits)));
  });
  return result;
}

std::vector<float> unpacked(const Tensor& tensor) {
  std::vector<float> numbers(static_cast<size_t>(tensor.size()));
  scalar::with_narrow(tensor.dtype(), [&](auto format) {
    using Narrow = decltype(format);
    const std::span<const typename Narrow::Bits> bits = tensor.as<typename Narrow::Bits>();
    std::transform(bits.begin(), bits.end(), numbers.begin(), scalar::widened<Narrow>);
  });
  return numbers;
}

}  // namespace isoshard::sim
