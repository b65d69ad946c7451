#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace isoshard {

/// An exact rational number, or +inf, -inf or nan: the value of a constant before a domain rounds it (design 4.4).
class Rational {
 public:
  Rational() = default;
  explicit Rational(int64_t value);
  Rational(int64_t numerator, int64_t denominator);
  explicit Rational(mpq_class value);

  static Rational infinity(bool negative);
  static Rational nan();
  /// The exact value of a double; inf and nan map to themselves.
  static Rational from_double(double value);
  /// Parses `12`, `-0.25`, `1e-5`, `3/7`, `inf`, `-inf`, `nan`; nothing for other texts and exponents beyond 4000.
  static std::optional<Rational> parse(std::string_view text);

  bool finite() const { return kind_ == Kind::finite; }
  bool is_nan() const { return kind_ == Kind::nan; }
  bool negative() const;
  bool is_integer() const { return finite() && value_.get_den() == 1; }
  bool is_zero() const { return finite() && value_ == 0; }
  /// The finite value; must not be called otherwise.
  const mpq_class& value() const { return value_; }

  /// The value correctly rounded (to nearest, ties to even) to a double or a float.
  double to_double() const;
  float to_float() const;
  /// A text that parse() reads back: an integer, a short decimal where exact, otherwise `n/d`.
  std::string to_string() const;

  bool operator==(const Rational& other) const;

 private:
  enum class Kind : uint8_t { finite, positive_infinity, negative_infinity, nan };
  Kind kind_ = Kind::finite;
  mpq_class value_;
};

/// The fraction with the smallest denominator in [low, high] (Stern-Brocot); requires low <= high.
mpq_class simplest_in(const mpq_class& low, const mpq_class& high);

}  // namespace isoshard
