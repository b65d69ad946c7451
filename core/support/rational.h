#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace isoshard {

struct GmpNumber;

/// An exact rational number, or +inf, -inf or nan: the value of a constant before a domain rounds it.
class Rational {
 public:
  /// Zero.
  Rational() = default;
  explicit Rational(int64_t value);
  Rational(int64_t numerator, int64_t denominator);

  static Rational infinity(bool negative);
  static Rational nan();
  /// The exact value of a double; inf and nan map to themselves.
  static Rational from_double(double value);
  /// Parses `12`, `-0.25`, `1e-5`, `3/7`, `inf`, `-inf`, `nan`; nothing for other texts and exponents beyond 4000.
  static std::optional<Rational> parse(std::string_view text);

  bool finite() const { return kind_ == Kind::finite; }
  bool is_nan() const { return kind_ == Kind::nan; }
  bool negative() const;
  bool is_integer() const;
  bool is_zero() const;

  /// The value correctly rounded (to nearest, ties to even) to a double or a float.
  double to_double() const;
  float to_float() const;
  /// A text that parse() reads back: an integer, a short decimal where exact, otherwise `n/d`.
  std::string to_string() const;

  bool operator==(const Rational& other) const;

  /// The finite value, null for zero; null also where the value is not finite. It is for rational_gmp.h.
  const GmpNumber* number() const { return value_.get(); }
  explicit Rational(std::shared_ptr<const GmpNumber> value) : value_(std::move(value)) {}

 private:
  enum class Kind : uint8_t { finite, positive_infinity, negative_infinity, nan };
  Kind kind_ = Kind::finite;
  std::shared_ptr<const GmpNumber> value_;  ///< shared by copies, which are many
};

}  // namespace isoshard
