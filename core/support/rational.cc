// Exact rationals with inf and nan, for constants of programs (docs/adr/0006-constants-are-gmp-rationals.md). Decimals
// are read without rounding; exponents are limited to 4000, so that a short text cannot ask for a huge number. A
// rational is rounded to f64 or f32 in one step, by an integer division with just as many bits as the format has at
// that magnitude and ties to even, since rounding through f64 would round twice. Text is the shortest exact decimal
// where a few hundred places suffice, else a fraction, and reads back to the same number. Copies share the number,
// which is never changed. Cost: that of GMP, a few words for usual constants.
#include "core/support/rational.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "core/support/check.h"
#include "core/support/gmp_number.h"

namespace isoshard {
namespace {

mpz_class to_mpz(int64_t value) {
  mpz_class result;
  const uint64_t magnitude = value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
  mpz_import(result.get_mpz_t(), 1, 1, sizeof magnitude, 0, 0, &magnitude);
  return value < 0 ? mpz_class(-result) : result;
}

mpz_class power_of(unsigned base, unsigned long exponent) {
  mpz_class result;
  mpz_ui_pow_ui(result.get_mpz_t(), base, exponent);
  return result;
}

/// Rounds |value| to `precision` bits, ties to even, no finer than 2^min_exponent, and scales back exactly.
double round_to(const mpq_class& value, int precision, int min_exponent) {
  if (value == 0) return 0.0;
  const mpq_class magnitude = abs(value);
  const long bits = static_cast<long>(mpz_sizeinbase(magnitude.get_num_mpz_t(), 2)) -
                    static_cast<long>(mpz_sizeinbase(magnitude.get_den_mpz_t(), 2));
  long exponent = std::max<long>(bits - precision, min_exponent);
  mpz_class quotient, remainder, numerator = magnitude.get_num(), denominator = magnitude.get_den();
  auto divide = [&] {
    mpz_class n = numerator, d = denominator;
    if (exponent >= 0) d <<= static_cast<mp_bitcnt_t>(exponent);
    if (exponent < 0) n <<= static_cast<mp_bitcnt_t>(-exponent);
    mpz_fdiv_qr(quotient.get_mpz_t(), remainder.get_mpz_t(), n.get_mpz_t(), d.get_mpz_t());
    const int half = cmp(mpz_class(remainder * 2), d);
    if (half > 0 || (half == 0 && mpz_odd_p(quotient.get_mpz_t()))) quotient += 1;
  };
  divide();
  if (mpz_sizeinbase(quotient.get_mpz_t(), 2) > static_cast<size_t>(precision)) {
    ++exponent;
    divide();
  }
  const double result = std::ldexp(quotient.get_d(), static_cast<int>(std::min<long>(exponent, 100000)));
  return value < 0 ? -result : result;
}

constexpr size_t kShort = 18;  ///< so many decimal digits fit 64 bits

/// 10 to the power of `exponent`, which is at most kShort.
unsigned long short_power(size_t exponent) {
  unsigned long result = 1;
  for (size_t i = 0; i < exponent; ++i) result *= 10;
  return result;
}

/// `text` as a decimal with optional fraction and exponent.
std::optional<mpq_class> parse_decimal(std::string_view text) {
  std::string digits;
  long scale = 0;
  size_t i = 0;
  for (bool point = false; i < text.size(); ++i) {
    if (text[i] == '.' && !point) {
      point = true;
      continue;
    }
    if (text[i] < '0' || text[i] > '9') break;
    digits += text[i];
    if (point) --scale;
  }
  if (digits.empty()) return std::nullopt;
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
    std::string_view exponent = text.substr(i + 1);
    if (!exponent.empty() && exponent[0] == '+') exponent.remove_prefix(1);
    long value = 0;
    const auto [end, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
    if (error != std::errc() || end != exponent.data() + exponent.size()) return std::nullopt;
    if (value > 4000 || value < -4000) return std::nullopt;
    scale += value;
  }
  if (digits.size() <= kShort && scale <= 0 && scale >= -long{kShort}) {
    mpq_class result(std::stoul(digits), short_power(static_cast<size_t>(-scale)));
    result.canonicalize();
    return result;
  }
  mpq_class result(mpz_class(digits, 10));
  if (scale > 0) result *= power_of(10, static_cast<unsigned long>(scale));
  if (scale < 0) result /= power_of(10, static_cast<unsigned long>(-scale));
  return result;
}

}  // namespace

Rational::Rational(int64_t value) : Rational(gmp_number(to_mpz(value))) {}

Rational::Rational(int64_t numerator, int64_t denominator) {
  ISOSHARD_CHECK(denominator != 0, "a rational needs a non-zero denominator");
  value_ = gmp_number(mpq_class(to_mpz(numerator), to_mpz(denominator)));
}

Rational Rational::infinity(bool negative) {
  Rational result;
  result.kind_ = negative ? Kind::negative_infinity : Kind::positive_infinity;
  return result;
}

Rational Rational::nan() {
  Rational result;
  result.kind_ = Kind::nan;
  return result;
}

Rational Rational::from_double(double value) {
  if (std::isnan(value)) return nan();
  if (std::isinf(value)) return infinity(value < 0);
  return Rational(gmp_number(mpq_class(value)));
}

std::optional<Rational> Rational::parse(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  std::string_view body = negative ? text.substr(1) : text;
  if (body == "inf") return infinity(negative);
  if (body == "nan" && !negative) return nan();
  const size_t slash = body.find('/');
  std::optional<mpq_class> value = parse_decimal(body.substr(0, slash));
  if (!value) return std::nullopt;
  if (slash != std::string_view::npos) {
    const std::optional<mpq_class> denominator = parse_decimal(body.substr(slash + 1));
    if (!denominator || *denominator == 0) return std::nullopt;
    *value /= *denominator;
  }
  return Rational(gmp_number(negative ? mpq_class(-*value) : *value));
}

bool Rational::is_integer() const { return finite() && value_of(value_.get()).get_den() == 1; }

bool Rational::is_zero() const { return finite() && value_ == nullptr; }

bool Rational::negative() const { return finite() ? value_of(value_.get()) < 0 : kind_ == Kind::negative_infinity; }

double Rational::to_double() const {
  if (finite()) return round_to(value_of(value_.get()), 53, -1074);
  if (is_nan()) return std::numeric_limits<double>::quiet_NaN();
  return negative() ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

float Rational::to_float() const {
  // Rounded to 24 bits in one step, so the conversion from double below is exact or overflows to infinity.
  return finite() ? static_cast<float>(round_to(value_of(value_.get()), 24, -149)) : static_cast<float>(to_double());
}

std::string Rational::to_string() const {
  if (is_nan()) return "nan";
  if (!finite()) return negative() ? "-inf" : "inf";
  const mpq_class& value = value_of(value_.get());
  if (is_integer()) {
    std::string digits = value.get_num().get_str();
    const size_t zeros = digits.size() - 1 - digits.find_last_not_of('0');
    return zeros < 6 || digits == "0" ? digits : digits.substr(0, digits.size() - zeros) + "e" + std::to_string(zeros);
  }
  for (unsigned long places = 1; places <= 400; places = places < 12 ? places + 1 : places * 2) {
    const mpq_class scaled = value * power_of(10, places);
    if (scaled.get_den() != 1) continue;
    std::string digits = mpz_class(abs(scaled.get_num())).get_str();
    const std::string sign = value < 0 ? "-" : "";
    for (; digits.back() == '0'; --places) digits.pop_back();
    if (digits.size() + 5 <= places) return sign + digits + "e-" + std::to_string(places);
    if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
    return sign + digits.substr(0, digits.size() - places) + "." + digits.substr(digits.size() - places);
  }
  return value.get_str();
}

bool Rational::operator==(const Rational& other) const {
  if (is_nan() && other.is_nan()) return true;
  return kind_ == other.kind_ && (!finite() || value_of(value_.get()) == value_of(other.value_.get()));
}

}  // namespace isoshard
