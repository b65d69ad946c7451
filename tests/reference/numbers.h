#pragma once

#include <cstdlib>
#include <limits>

#include "core/support/rational_gmp.h"
#include "tests/reference/array.h"
#include "tests/reference/formal.h"
#include "tests/reference/quad.h"
#include "tests/reference/rounded.h"

/// What the functions of the language are on doubles, on doubles with their error, on numbers with slopes, and on exact
/// rationals.
namespace isoshard::reference {

inline size_t u(int64_t i) { return static_cast<size_t>(i); }

/// By halving an interval until it is one number wide.
inline double inverse_of_erf(double x) {
  if (x == 0) return x;
  if (x < 0) return -inverse_of_erf(-x);
  if (!(x < 1)) return x == 1 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  double low = 0, high = 6;
  for (double middle = high / 2; low < middle && middle < high; middle = low + (high - low) / 2) {
    const bool below = x < 0.5 ? std::erf(middle) < x : std::erfc(middle) > 1 - x;
    (below ? low : high) = middle;
  }
  return high;
}

/// A function of doubles that rationals do not have.
template <class F>
double real(const char*, F f, double x) {
  return f(x);
}
template <class F>
mpq_class real(const char* name, F, const mpq_class&) {
  throw Unsupported(std::string(name) + " of an exact rational");
}

template <class F>
Rounded real(const char*, F f, const Rounded& x) {
  return function_of(x, f);
}

inline double divide(double x, double y) { return x / y; }
inline Rounded divide(const Rounded& x, const Rounded& y) { return x / y; }
inline mpq_class divide(const mpq_class& x, const mpq_class& y) {
  if (y == 0) throw Unsupported("division by 0");
  return x / y;
}
inline double floor_of(double x) { return std::floor(x); }
inline Rounded floor_of(const Rounded& x) {
  return whole_number(x, [](double v) { return std::floor(v); });
}
inline mpq_class floor_of(const mpq_class& x) {
  mpz_class q;
  mpz_fdiv_q(q.get_mpz_t(), x.get_num_mpz_t(), x.get_den_mpz_t());
  return mpq_class(q);
}
/// The nearest whole number; of two the even one, or the one away from zero.
inline double nearest(double x, bool even) { return even ? std::nearbyint(x) : std::round(x); }
inline Rounded nearest(const Rounded& x, bool even) {
  return whole_number(x, [even](double v) { return nearest(v, even); });
}
inline mpq_class nearest(const mpq_class& x, bool even) {
  const mpq_class below = floor_of(x), rest = x - below, half(1, 2);
  const bool odd = mpz_odd_p(below.get_num_mpz_t()) != 0;
  const bool up = rest > half || (rest == half && (even ? odd : x > 0));
  return up ? mpq_class(below + 1) : below;
}
template <class T>
T truncated(const T& x) {
  return x < 0 ? T(-floor_of(T(-x))) : floor_of(x);
}
inline Rounded truncated(const Rounded& x) {
  return whole_number(x, [](double v) { return std::trunc(v); });
}
inline int bits_of(DType dtype) { return static_cast<int>(8 * info(dtype).bytes); }
inline Wide least_of(DType dtype) { return is_unsigned(dtype) ? Wide{0} : -(Wide{1} << (bits_of(dtype) - 1)); }
inline Wide greatest_of(DType dtype) { return (Wide{1} << (bits_of(dtype) - (is_unsigned(dtype) ? 0 : 1))) - 1; }
inline mpq_class rational_of(Wide x) {
  const auto high = static_cast<long>(x >> 32);
  return mpq_class(mpz_class(high) * (mpz_class(1) << 32) + static_cast<unsigned long>(x & 0xffffffff));
}
/// A number of any integer dtype as a constant has it.
inline Rational whole(Wide x) { return from_mpq(rational_of(x)); }
/// A whole number as dtype: the nearest one there is, 0 for nan.
inline int64_t to_integer(double x, DType dtype) {
  if (std::isnan(x)) return 0;
  if (x <= static_cast<double>(least_of(dtype))) return wrapped(least_of(dtype), dtype);
  if (x >= static_cast<double>(greatest_of(dtype))) return wrapped(greatest_of(dtype), dtype);
  return wrapped(static_cast<Wide>(x), dtype);
}
inline int64_t to_integer(const Rounded& x, DType dtype) { return to_integer(x.value, dtype); }
inline int64_t to_integer(const Quad& x, DType dtype) { return to_integer(static_cast<double>(x.value), dtype); }
inline int64_t to_integer(const mpq_class& x, DType dtype) {
  if (x <= rational_of(least_of(dtype))) return wrapped(least_of(dtype), dtype);
  if (x >= rational_of(greatest_of(dtype))) return wrapped(greatest_of(dtype), dtype);
  return x < 0 ? x.get_num().get_si() : static_cast<int64_t>(x.get_num().get_ui());
}
inline double power(double x, double y) { return std::pow(x, y); }
inline Rounded power(const Rounded& x, const Rounded& y) {
  const Rounded of_base = function_of(x, [&](double v) { return std::pow(v, y.value); });
  return {of_base.value, of_base.error + function_of(y, [&](double v) { return std::pow(x.value, v); }).error};
}
inline mpq_class power(const mpq_class& x, const mpq_class& y) {
  if (y.get_den() != 1 || abs(y) > 64) throw Unsupported("power with this exponent");
  mpq_class result = 1;
  for (int64_t n = std::abs(y.get_num().get_si()); n > 0; --n) result *= x;
  return y < 0 ? divide(mpq_class(1), result) : result;
}
inline double angle(double y, double x) { return std::atan2(y, x); }
inline Rounded angle(const Rounded& y, const Rounded& x) {
  const Rounded of_y = function_of(y, [&](double v) { return std::atan2(v, x.value); });
  return {of_y.value, of_y.error + function_of(x, [&](double v) { return std::atan2(y.value, v); }).error};
}
inline mpq_class angle(const mpq_class&, const mpq_class&) { throw Unsupported("atan2 of exact rationals"); }
inline double from_rational(const Rational& value, double) { return value.to_double(); }
/// Of finitely many digits that an f32 does not hold: what was meant may be any number that is read as the same f32.
inline bool is_rounded_decimal(const Rational& value) {
  mpz_class rest = to_mpq(value).get_den();
  for (const int factor : {2, 5}) {
    while (mpz_divisible_ui_p(rest.get_mpz_t(), static_cast<unsigned>(factor)) != 0) rest /= factor;
  }
  return rest == 1 && !(Rational::from_double(static_cast<float>(value.to_double())) == value);
}
inline Rounded from_rational(const Rational& value, const Rounded&) {
  const double nearest = value.to_double();
  if (!value.finite()) return {nearest};
  const double error = Rational::from_double(nearest) == value ? 0 : Rounded::kUnit;
  const double meant = Rounded::constants != 0 && is_rounded_decimal(value) ? Rounded::constants : 0;
  return {nearest, (error + meant) * std::fabs(nearest)};
}
/// To the last of 113 bits: what is left of a double is a rational again.
inline Quad from_rational(const Rational& value, const Quad&) {
  if (!value.finite()) return {value.to_double()};
  __float128 sum = 0;
  mpq_class rest = to_mpq(value);
  for (int part = 0; part < 4; ++part) {
    const double piece = from_mpq(rest).to_double();
    sum += static_cast<__float128>(piece);
    rest -= mpq_class(piece);
  }
  return {sum, 0};
}
inline Formal from_rational(const Rational& value, const Formal&) {
  if (!value.finite()) throw Unsupported("inf or nan in modular arithmetic");
  return {mod::of(to_mpq(value)), 0};
}
inline mpq_class from_rational(const Rational& value, const mpq_class&) {
  if (!value.finite()) throw Unsupported("inf or nan as an exact rational");
  return to_mpq(value);
}
inline bool is_nan(double x) { return std::isnan(x); }
inline bool is_nan(const Rounded& x) { return std::isnan(x.value); }
inline bool is_nan(const mpq_class&) { return false; }

/// The same number, or both nan; of numbers with errors: no further apart than rounding explains, and what is not
/// finite differs from nothing (an exact 0 times it is 0: docs/spec/float_bounds.md, "Rounding bounds").
template <class T>
bool same_number(const T& x, const T& y) {
  return x == y || (is_nan(x) && is_nan(y));
}
inline bool same_number(const Rounded& x, const Rounded& y) { return !beyond_rounding(x, y); }

/// The number as a constant.
template <class T>
T fixed(const T& x) {
  return x;
}

template <class T>
T infinity(bool negative) {
  return from_rational(Rational::infinity(negative), T());
}

}  // namespace isoshard::reference
