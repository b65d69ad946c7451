#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace isoshard::reference {

/// A double and how far it may be from what exact arithmetic gives: a value that is the same formula in two programs
/// differs by no more than the errors of both.
///
/// The rounding of sums and products is measured, not estimated, so whole numbers stay without error. An infinite or
/// nan error says that nothing is known. Comparisons that the errors leave open count as ties.
struct Rounded {
  double value = 0;
  double error = 0;

  Rounded() = default;
  Rounded(double v, double e = 0) : value(v), error(e) {}  // NOLINT: numbers become this one as they become a double

  /// Comparisons and roundings to whole numbers of this thread that might have gone the other way.
  static inline thread_local int64_t ties = 0;
  /// Divisions and functions of this thread at numbers whose error reaches a pole, and results that are too large or
  /// too small for a double: what is not finite behind them may be finite.
  static inline thread_local int64_t open = 0;

  /// How far decimals of this thread are from what was meant, relatively: 2^-24 where an f32 was written down.
  static inline thread_local double constants = 0;

  static constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
};

/// Whether the values differ by more than 1000 times what rounding explains; what is not finite never does.
inline bool beyond_rounding(const Rounded& a, const Rounded& b) {
  const double difference = std::fabs(a.value - b.value);
  return std::isfinite(difference) && difference > 1000 * (a.error + b.error);
}

/// An infinity that is meant, such as the constant of a mask; one of overflow has an infinite error.
inline bool exactly_infinite(const Rounded& a) { return std::isinf(a.value) && a.error == 0; }

inline Rounded operator-(const Rounded& a) { return {-a.value, a.error}; }
inline Rounded operator+(const Rounded& a, const Rounded& b) {
  const bool infinite = exactly_infinite(a) ? exactly_infinite(b) || std::isfinite(b.value)
                                            : exactly_infinite(b) && std::isfinite(a.value);
  if (infinite) return {a.value + b.value};
  const double sum = a.value + b.value, added = sum - a.value;
  const double lost = std::fabs((a.value - (sum - added)) + (b.value - added));  // exactly what rounding took
  return {sum, a.error + b.error + lost};
}
inline Rounded operator-(const Rounded& a, const Rounded& b) { return a + -b; }
inline Rounded operator*(const Rounded& a, const Rounded& b) {
  const double product = a.value * b.value, lost = std::fabs(std::fma(a.value, b.value, -product));
  const auto carried = [](double x, double e) { return e == 0 ? 0 : std::fabs(x) * e; };
  const double both = a.error == 0 || b.error == 0 ? 0 : a.error * b.error;
  const bool tiny = product != 0 && std::fabs(product) < 1e-290;  // what is lost may not be representable
  return {product, carried(a.value, b.error) + carried(b.value, a.error) + both +
                       (tiny ? std::numeric_limits<double>::min() : lost)};
}
inline Rounded operator/(const Rounded& a, const Rounded& b) {
  if (exactly_infinite(b) && (std::isfinite(a.value) || exactly_infinite(a))) return {a.value / b.value};
  const double quotient = a.value / b.value, least = std::fabs(b.value) - b.error;
  const bool exact = std::fma(quotient, b.value, -a.value) == 0;
  const double carried = (a.error + std::fabs(quotient) * b.error) / least;
  if (!(least > 0) && b.error != 0 && !std::isnan(b.value)) ++Rounded::open;
  return {quotient, least > 0 ? carried + (exact ? 0 : Rounded::kUnit * std::fabs(quotient))
                              : std::numeric_limits<double>::infinity()};
}

/// Counts a tie unless the errors leave the order of `a` and `b` as it is. Equal numbers are no tie: their errors are
/// of one computation, or the other program has them a little apart.
inline void note_tie(const Rounded& a, const Rounded& b) {
  if (a.value != b.value && !(std::fabs(a.value - b.value) > a.error + b.error)) ++Rounded::ties;
}
inline bool operator<(const Rounded& a, const Rounded& b) {
  note_tie(a, b);
  return a.value < b.value;
}
inline bool operator>(const Rounded& a, const Rounded& b) { return b < a; }
inline bool operator==(const Rounded& a, const Rounded& b) {
  note_tie(a, b);
  return a.value == b.value;
}

/// `f` of a number: its error is how far `f` moves within the argument's, and some units of its own.
template <class F>
Rounded function_of(const Rounded& x, const F& f) {
  if (exactly_infinite(x)) return {f(x.value)};
  const double value = f(x.value), up = f(x.value + x.error), down = f(x.value - x.error);
  if (std::isnan(value) && std::isnan(up) && std::isnan(down)) return {value};
  const double moved = x.error == 0 ? 0 : std::max(std::fabs(up - value), std::fabs(down - value));
  const bool beyond = std::isfinite(x.value) && x.value != 0, underflow = beyond && value == 0;
  if (!std::isfinite(moved) || (beyond && std::isinf(value))) ++Rounded::open;
  return {value, moved + 4 * Rounded::kUnit * std::fabs(value) + (underflow ? std::numeric_limits<double>::min() : 0)};
}

/// A rounding to a whole number; a tie where the error reaches another one.
template <class F>
Rounded whole_number(const Rounded& x, const F& f) {
  if (x.error != 0 && !(f(x.value + x.error) == f(x.value - x.error))) ++Rounded::ties;
  return {f(x.value)};
}

}  // namespace isoshard::reference
