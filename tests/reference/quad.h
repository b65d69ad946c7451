#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "core/support/rational.h"
#include "tests/reference/array.h"

/// Functions of glibc in binary128; <math.h> declares them under other names in C++ before 23.
extern "C" {
__float128 expf128(__float128) noexcept;
__float128 logf128(__float128) noexcept;
__float128 sinf128(__float128) noexcept;
__float128 cosf128(__float128) noexcept;
__float128 sqrtf128(__float128) noexcept;
__float128 powf128(__float128, __float128) noexcept;
__float128 erff128(__float128) noexcept;
__float128 erfcf128(__float128) noexcept;
__float128 atanf128(__float128) noexcept;
__float128 floorf128(__float128) noexcept;
__float128 roundf128(__float128) noexcept;
__float128 roundevenf128(__float128) noexcept;
__float128 expm1f128(__float128) noexcept;
__float128 log1pf128(__float128) noexcept;
__float128 cbrtf128(__float128) noexcept;
__float128 atan2f128(__float128, __float128) noexcept;
}

namespace isoshard::reference {

/// A number of 113 bits and its slope along one direction, with slopes of functions taken from the functions themselves
/// by extrapolated differences, so that it knows no rule of core/transform/autodiff.
struct Quad {
  __float128 value = 0, slope = 0;

  Quad() = default;
  Quad(double v) : value(v) {}  // NOLINT: numbers become this one as they become a double
  Quad(__float128 v, __float128 s) : value(v), slope(s) {}
  bool operator==(const Quad& other) const { return value == other.value; }
};

inline __float128 magnitude(__float128 x) { return x < 0 ? -x : x; }

inline Quad operator-(const Quad& a) { return {-a.value, -a.slope}; }
inline Quad operator+(const Quad& a, const Quad& b) { return {a.value + b.value, a.slope + b.slope}; }
inline Quad operator-(const Quad& a, const Quad& b) { return {a.value - b.value, a.slope - b.slope}; }
inline Quad operator*(const Quad& a, const Quad& b) {
  return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}
inline Quad operator/(const Quad& a, const Quad& b) {
  return {a.value / b.value, (a.slope - a.value / b.value * b.slope) / b.value};
}
inline bool operator<(const Quad& a, const Quad& b) { return a.value < b.value; }
inline bool operator>(const Quad& a, const Quad& b) { return b < a; }

/// The derivative by central differences, extrapolated five times (Richardson): errors of order h^10 and about
/// 1e-34 / h, where h is small beside `scale`, the length on which f changes.
template <class F>
__float128 slope_of(const F& f, __float128 x, __float128 scale) {
  constexpr int kRows = 6;
  __float128 table[kRows], h = scale / 64;
  for (int row = 0; row < kRows; ++row, h /= 2) {
    table[row] = (f(x + h) - f(x - h)) / (2 * h);
    __float128 power = 1;
    for (int k = row - 1; k >= 0; --k) {
      power *= 4;
      table[k] = table[k + 1] + (table[k + 1] - table[k]) / (power - 1);
    }
  }
  return table[0];
}

/// y with erf(y) = x: halving an interval, then Newton's method with erf' = 2 / sqrt(pi) e^(-y^2).
inline __float128 inverse_of_erf(__float128 x) {
  if (x < 0) return -inverse_of_erf(-x);
  const auto excess = [&](__float128 y) { return x < 0.5 ? erff128(y) - x : (1 - x) - erfcf128(y); };
  __float128 low = 0, high = 12;
  for (int i = 0; i < 30; ++i) {
    const __float128 middle = (low + high) / 2;
    (excess(middle) < 0 ? low : high) = middle;
  }
  const __float128 half_root_of_pi = sqrtf128(4 * atanf128(1)) / 2;
  for (int i = 0; i < 5; ++i) low -= excess(low) * half_root_of_pi * expf128(low * low);
  return low;
}

/// The function of that name, from its definition.
inline __float128 quad_function(std::string_view name, __float128 x) {
  if (name == "exp") return expf128(x);
  if (name == "log") return logf128(x);
  if (name == "tanh") return 1 - 2 / (expf128(2 * x) + 1);
  if (name == "logistic") return 1 / (1 + expf128(-x));
  if (name == "sqrt") return sqrtf128(x);
  if (name == "rsqrt") return 1 / sqrtf128(x);
  if (name == "sine") return sinf128(x);
  if (name == "cosine") return cosf128(x);
  if (name == "erf_inv") return inverse_of_erf(x);
  if (name == "expm1") return expm1f128(x);
  if (name == "log1p") return log1pf128(x);
  if (name == "cbrt") return cbrtf128(x);
  if (name == "erf") return erff128(x);
  if (name == "erfc") return erfcf128(x);
  throw Unsupported("no binary128 function is known for " + std::string(name));
}
/// The length on which it changes: the distance to a singularity, where there is one.
inline __float128 scale_of(std::string_view name, __float128 x) {
  if (name == "log" || name == "sqrt" || name == "rsqrt") return x;
  if (name == "erf_inv") return 1 - magnitude(x);
  if (name == "log1p") return 1 + x;
  if (name == "cbrt") return magnitude(x);
  return 1;
}

template <class F>
Quad real(const char* name, const F&, const Quad& x) {
  const auto f = [&](__float128 at) { return quad_function(name, at); };
  return {f(x.value), x.slope == 0 ? 0 : x.slope * slope_of(f, x.value, scale_of(name, x.value))};
}
inline Quad divide(const Quad& x, const Quad& y) { return x / y; }
inline Quad floor_of(const Quad& x) { return {floorf128(x.value), 0}; }
inline Quad power(const Quad& x, const Quad& y) {
  const auto of_base = [&](__float128 at) { return powf128(at, y.value); };
  const auto of_exponent = [&](__float128 at) { return powf128(x.value, at); };
  return {powf128(x.value, y.value), (x.slope == 0 ? 0 : x.slope * slope_of(of_base, x.value, x.value)) +
                                         (y.slope == 0 ? 0 : y.slope * slope_of(of_exponent, y.value, 1))};
}
inline Quad nearest(const Quad& x, bool even) { return {even ? roundevenf128(x.value) : roundf128(x.value), 0}; }
inline Quad angle(const Quad& y, const Quad& x) {
  const auto of_y = [&](__float128 at) { return atan2f128(at, x.value); };
  const auto of_x = [&](__float128 at) { return atan2f128(y.value, at); };
  const __float128 scale = magnitude(x.value) > magnitude(y.value) ? magnitude(x.value) : magnitude(y.value);
  return {atan2f128(y.value, x.value), (y.slope == 0 ? 0 : y.slope * slope_of(of_y, y.value, scale)) +
                                           (x.slope == 0 ? 0 : x.slope * slope_of(of_x, x.value, scale))};
}
inline bool is_nan(const Quad& x) { return x.value != x.value; }
inline Quad fixed(const Quad& x) { return {x.value, 0}; }

}  // namespace isoshard::reference
