// Rounds to floats of 16 and 8 bits, which are held in f32 everywhere, and packs them for archives. Rounding twice, to
// f64 and then to fewer bits, can give the wrong neighbour; rationals and large integers are therefore rounded to odd
// first (Boldo and Melquiond 2005), after which the second rounding is right. Cost: one pass.
#include "sim/value/narrow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/ir/scalar/narrow.h"
#include "core/support/check.h"
#include "core/support/rational_gmp.h"

namespace isoshard::sim {
namespace {

/// Calls f with the format of `dtype`.
template <class F>
void in_format(DType dtype, F&& f) {
  switch (dtype) {
    case DType::bf16:
      return f(scalar::Bf16{});
    case DType::f16:
      return f(scalar::F16{});
    case DType::f8e4m3:
      return f(scalar::F8E4M3{});
    case DType::f8e5m2:
      return f(scalar::F8E5M2{});
    default:
      internal_error("dtype", "no narrow float", __FILE__, __LINE__);
  }
}

template <class T>
void narrow_all(DType dtype, int64_t n, const T* x, float* out) {
  in_format(dtype, [&](auto format) {
    using Narrow = decltype(format);
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(scalar::narrowed<Narrow>(x[i]));
  });
}

/// x between `nearest` and its neighbours as the one of them with an odd last bit, which rounds to a narrower format as
/// x itself does (S. Boldo, G. Melquiond 2005: round to odd); `side` is the sign of x - nearest.
double to_odd(double nearest, int side) {
  if (side == 0 || !std::isfinite(nearest) || (scalar::bits_as<uint64_t>(nearest) & 1) != 0) return nearest;
  return std::nextafter(nearest, side > 0 ? HUGE_VAL : -HUGE_VAL);
}

float narrow_one(DType dtype, double x) {
  float result = 0;
  narrow(dtype, 1, &x, &result);
  return result;
}

}  // namespace

void narrow(DType dtype, int64_t n, const float* x, float* out) { narrow_all(dtype, n, x, out); }
void narrow(DType dtype, int64_t n, const double* x, float* out) { narrow_all(dtype, n, x, out); }

float narrow(DType dtype, const Rational& constant) {
  const double nearest = constant.to_double();
  const bool known = constant.finite() && std::isfinite(nearest);
  return narrow_one(dtype, to_odd(nearest, known ? cmp(to_mpq(constant), mpq_class(nearest)) : 0));
}

float narrow(DType dtype, int64_t integer) {
  constexpr int64_t kExact = int64_t{1} << 53;
  if (-kExact <= integer && integer <= kExact) return narrow_one(dtype, static_cast<double>(integer));
  return narrow(dtype, Rational(integer));
}

float narrow(DType dtype, uint64_t integer) {
  if (integer <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return narrow(dtype, static_cast<int64_t>(integer));
  }
  return narrow(dtype, from_mpq(mpq_class(mpz_class(static_cast<unsigned long>(integer)))));
}

Tensor packed(DType dtype, const Shape& shape, const std::vector<float>& numbers) {
  Tensor result;
  in_format(dtype, [&](auto format) {
    using Narrow = decltype(format);
    std::vector<typename Narrow::Bits> bits(numbers.size());
    std::transform(numbers.begin(), numbers.end(), bits.begin(), scalar::narrow_bits<Narrow>);
    result = Tensor::from_bytes(dtype, shape, std::as_bytes(std::span(bits)));
  });
  return result;
}

std::vector<float> unpacked(const Tensor& tensor) {
  std::vector<float> numbers(static_cast<size_t>(tensor.size()));
  in_format(tensor.dtype(), [&](auto format) {
    using Narrow = decltype(format);
    const std::span<const typename Narrow::Bits> bits = tensor.as<typename Narrow::Bits>();
    std::transform(bits.begin(), bits.end(), numbers.begin(), scalar::widened<Narrow>);
  });
  return numbers;
}

}  // namespace isoshard::sim
