#pragma once

#include <gmpxx.h>

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <string_view>

#include "tests/reference/array.h"

namespace isoshard::reference {

/// A number mod p = 2^61 - 1 and its slope along one direction, both exact: forward-mode differentiation in which
/// functions are opaque (f(x) is a hash of f and x) and f(a + eps b) = f(a) + eps f'(a) b with f' from the table below,
/// which was written for this and not taken from core/transform/autodiff (docs: equivalence of slopes, bit by bit).
///
/// Numbers are ordered by their representative nearest to 0. A whole number stays itself under floor; anything else
/// becomes an opaque one.
struct Formal {
  static constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;
  uint64_t value = 0, slope = 0;
  /// How often equal numbers of different slopes were compared: a maximum has two derivatives there.
  static inline thread_local int ties = 0;

  Formal() = default;
  Formal(double v);  // NOLINT: numbers become this one as they become a double
  Formal(uint64_t v, uint64_t s) : value(v), slope(s) {}

  /// The representative nearest to 0.
  int64_t balanced() const {
    return value > kPrime / 2 ? static_cast<int64_t>(value) - static_cast<int64_t>(kPrime)
                              : static_cast<int64_t>(value);
  }
  bool operator==(const Formal& other) const { return value == other.value; }
};

namespace mod {

inline uint64_t add(uint64_t a, uint64_t b) {
  const uint64_t sum = a + b;
  return sum >= Formal::kPrime ? sum - Formal::kPrime : sum;
}
inline uint64_t negate(uint64_t a) { return a == 0 ? 0 : Formal::kPrime - a; }
inline uint64_t multiply(uint64_t a, uint64_t b) {
  const auto product = static_cast<Wide>(a) * static_cast<Wide>(b);
  const auto low = static_cast<uint64_t>(product & static_cast<Wide>(Formal::kPrime));
  return add(low, static_cast<uint64_t>(product >> 61));
}
inline uint64_t inverse(uint64_t a) {
  if (a == 0) throw Unsupported("division by 0");
  uint64_t result = 1;
  for (uint64_t e = Formal::kPrime - 2; e > 0; e >>= 1, a = multiply(a, a)) {
    if (e & 1U) result = multiply(result, a);
  }
  return result;
}
inline uint64_t of(int64_t i) {
  const int64_t rest = i % static_cast<int64_t>(Formal::kPrime);
  return rest < 0 ? negate(static_cast<uint64_t>(-rest)) : static_cast<uint64_t>(rest);
}
inline uint64_t of(const mpq_class& x) {
  const mpz_class prime = (mpz_class(1) << 61) - 1;
  const auto reduced = [&](const mpz_class& n) {
    mpz_class rest;
    mpz_fdiv_r(rest.get_mpz_t(), n.get_mpz_t(), prime.get_mpz_t());
    return uint64_t{rest.get_ui()};
  };
  return multiply(reduced(x.get_num()), inverse(reduced(x.get_den())));
}
/// A number that depends on the name and the arguments, and on nothing else.
inline uint64_t hash(std::string_view name, uint64_t x, uint64_t y = 0) {
  uint64_t state = 0x9E3779B97F4A7C15;
  const auto mix = [&](uint64_t word) {
    state = (state ^ word) * 0xBF58476D1CE4E5B9;
    state = (state ^ (state >> 29)) * 0x94D049BB133111EB;
    state ^= state >> 32;
  };
  for (const char c : name) mix(static_cast<uint64_t>(c));
  mix(x);
  mix(y);
  return state % Formal::kPrime;
}

}  // namespace mod

inline Formal::Formal(double v) : value(mod::of(mpq_class(v))) {}

inline Formal operator-(const Formal& a) { return {mod::negate(a.value), mod::negate(a.slope)}; }
inline Formal operator+(const Formal& a, const Formal& b) {
  return {mod::add(a.value, b.value), mod::add(a.slope, b.slope)};
}
inline Formal operator-(const Formal& a, const Formal& b) { return a + -b; }
inline Formal operator*(const Formal& a, const Formal& b) {
  return {mod::multiply(a.value, b.value), mod::add(mod::multiply(a.slope, b.value), mod::multiply(a.value, b.slope))};
}
inline Formal operator/(const Formal& a, const Formal& b) {
  const uint64_t inverse = mod::inverse(b.value), value = mod::multiply(a.value, inverse);
  return {value, mod::multiply(mod::add(a.slope, mod::negate(mod::multiply(value, b.slope))), inverse)};
}
inline bool operator<(const Formal& a, const Formal& b) {
  if (a.value == b.value && a.slope != b.slope) ++Formal::ties;
  return a.balanced() < b.balanced();
}
inline bool operator>(const Formal& a, const Formal& b) { return b < a; }

/// f' by name, from x and y = f(x).
inline uint64_t formal_slope(std::string_view name, uint64_t x, uint64_t y) {
  const uint64_t one = 1, half = mod::inverse(2);
  const auto minus = [](uint64_t a, uint64_t b) { return mod::add(a, mod::negate(b)); };
  if (name == "exp") return y;
  if (name == "log") return mod::inverse(x);
  if (name == "tanh") return minus(one, mod::multiply(y, y));
  if (name == "logistic") return mod::multiply(y, minus(one, y));
  if (name == "sqrt") return mod::multiply(half, mod::inverse(y));
  if (name == "rsqrt") return mod::negate(mod::multiply(half, mod::multiply(y, mod::inverse(x))));
  if (name == "sine") return mod::hash("cosine", x);
  if (name == "cosine") return mod::negate(mod::hash("sine", x));
  if (name == "erf_inv") {
    // sqrt(pi) / 2 e^(y^2), with the digits that 128 bits can hold.
    static const uint64_t half_root_of_pi = mod::of(mpq_class("88622692545275801364908374167057259139877") /
                                                    (mpz_class("100000000000000000000000000000000000000000")));
    return mod::multiply(half_root_of_pi, mod::hash("exp", mod::multiply(y, y)));
  }
  if (name == "expm1") return mod::add(y, one);
  if (name == "log1p") return mod::inverse(mod::add(x, one));
  if (name == "cbrt") return mod::inverse(mod::multiply(3, mod::multiply(y, y)));
  if (name == "erf" || name == "erfc") {
    // 2 / sqrt(pi) e^(-x^2)
    static const uint64_t two_over_root_of_pi =
        mod::of(mpq_class(mpz_class("11283791670955125738961589031215451716881"),
                          mpz_class("10000000000000000000000000000000000000000")));
    const uint64_t bell = mod::hash("exp", mod::negate(mod::multiply(x, x)));
    const uint64_t slope = mod::multiply(two_over_root_of_pi, bell);
    return name == "erf" ? slope : mod::negate(slope);
  }
  throw Unsupported("no slope is known of " + std::string(name));
}

/// A function by its name.
template <class F>
Formal real(const char* name, const F&, const Formal& x) {
  const uint64_t y = mod::hash(name, x.value);
  return {y, x.slope == 0 ? 0 : mod::multiply(x.slope, formal_slope(name, x.value, y))};
}
inline Formal divide(const Formal& x, const Formal& y) { return x / y; }
inline Formal floor_of(const Formal& x) {
  constexpr int64_t kWhole = int64_t{1} << 40;
  const bool whole = x.balanced() < kWhole && x.balanced() > -kWhole;
  return {whole ? x.value : mod::hash("floor", x.value), 0};
}
inline int64_t to_integer(const Formal& x, DType dtype) {
  const int64_t i = x.balanced();
  return dtype == DType::i64 ? i : wrapped(i, dtype);
}
/// b a^(b - 1) and a^b log a; an exponent of 0 has slope 0 in a, the logarithm of a base of 0 counts as that of 1.
inline Formal power(const Formal& a, const Formal& b) {
  const uint64_t y = mod::hash("power", a.value, b.value);
  const uint64_t less = b.value == 0 ? 1 : mod::add(b.value, mod::negate(1));
  const uint64_t in_base = mod::multiply(b.value, mod::hash("power", a.value, less));
  const uint64_t in_exponent = mod::multiply(y, mod::hash("log", a.value == 0 ? 1 : a.value));
  return {y, mod::add(mod::multiply(in_base, a.slope), mod::multiply(in_exponent, b.slope))};
}
/// (x dy - y dx) / (x^2 + y^2)
inline Formal angle(const Formal& y, const Formal& x) {
  const uint64_t square = mod::add(mod::multiply(x.value, x.value), mod::multiply(y.value, y.value));
  const uint64_t turned = mod::add(mod::multiply(x.value, y.slope), mod::negate(mod::multiply(y.value, x.slope)));
  return {mod::hash("atan2", y.value, x.value), turned == 0 ? 0 : mod::multiply(turned, mod::inverse(square))};
}
inline Formal nearest(const Formal& x, bool even) {
  const Formal below = floor_of(x);
  return below.value == x.value ? below : Formal{mod::hash(even ? "nearest_even" : "nearest", x.value), 0};
}
inline bool is_nan(const Formal&) { return false; }
inline Formal fixed(const Formal& x) { return {x.value, 0}; }

}  // namespace isoshard::reference
