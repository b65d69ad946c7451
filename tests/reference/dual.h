#pragma once

#include <cmath>

namespace isoshard::reference {

/// A double and its derivative along one direction: forward-mode differentiation, with slopes of functions taken from
/// the functions themselves by differences, so that it knows no rule of core/transform/autodiff.
struct Dual {
  double value = 0, slope = 0;
  /// How often equal numbers of different slopes were compared: a maximum has two derivatives there.
  static inline thread_local int ties = 0;

  Dual() = default;
  Dual(double v, double s = 0) : value(v), slope(s) {}  // NOLINT: numbers become this one as they become a double
};

inline Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
inline Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.slope + b.slope}; }
inline Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.slope - b.slope}; }
inline Dual operator*(const Dual& a, const Dual& b) {
  return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}
inline Dual operator/(const Dual& a, const Dual& b) {
  return {a.value / b.value, (a.slope - a.value / b.value * b.slope) / b.value};
}

inline void note_tie(const Dual& a, const Dual& b) {
  if (a.value == b.value && a.slope != b.slope) ++Dual::ties;
}
inline bool operator<(const Dual& a, const Dual& b) {
  note_tie(a, b);
  return a.value < b.value;
}
inline bool operator>(const Dual& a, const Dual& b) { return b < a; }
inline bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }

/// Central differences with two steps, extrapolated: the error is of the fourth order in the step.
template <class F>
double slope_of(const F& f, double x) {
  const double step = 1e-3 * std::fmax(1e-2, std::fabs(x));
  const auto difference = [&](double h) { return (f(x + h) - f(x - h)) / (2 * h); };
  return (4 * difference(step / 2) - difference(step)) / 3;
}

/// `f` of a number; constant where the number is.
template <class F>
Dual function_of(const Dual& x, const F& f) {
  return {f(x.value), x.slope == 0 ? 0 : slope_of(f, x.value) * x.slope};
}

}  // namespace isoshard::reference
