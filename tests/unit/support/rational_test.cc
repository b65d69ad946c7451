#include "core/support/rational_gmp.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>

namespace isoshard::rational_test {
namespace {

Rational parsed(const std::string& text) {
  const std::optional<Rational> value = Rational::parse(text);
  if (!value) ADD_FAILURE() << "cannot parse " << text;
  return value.value_or(Rational::nan());
}

TEST(Rational, Parses) {
  EXPECT_EQ(parsed("12"), Rational(12));
  EXPECT_EQ(parsed("-0.25"), Rational(-1, 4));
  EXPECT_EQ(parsed("1e-5"), Rational(1, 100000));
  EXPECT_EQ(parsed("2.5E+3"), Rational(2500));
  EXPECT_EQ(parsed("3/7"), Rational(3, 7));
  EXPECT_EQ(parsed("-6/14"), Rational(-3, 7));
  EXPECT_EQ(parsed("007"), Rational(7));
  EXPECT_EQ(parsed("0.1"), Rational(1, 10));
  EXPECT_EQ(parsed("inf"), Rational::infinity(false));
  EXPECT_EQ(parsed("-inf"), Rational::infinity(true));
  EXPECT_TRUE(parsed("nan").is_nan());
}

TEST(Rational, RefusesOtherTexts) {
  for (const char* text :
       {"",    "-",    ".",  "e5", "1e",    "1e+", "1e--5", "1.2.3",    "1/0",    "1/",      "/2",
        "--1", "0x10", "1 ", " 1", "1/2/3", "+1",  "-nan",  "infinity", "1e4001", "1e-4001", "1e99999999999999999999",
        "1/-2"}) {
    EXPECT_EQ(Rational::parse(text), std::nullopt) << '"' << text << '"';
  }
}

TEST(Rational, BoundsOfIntegers) {
  EXPECT_EQ(Rational(INT64_MIN).to_string(), "-9223372036854775808");
  EXPECT_EQ(Rational(INT64_MAX).to_string(), "9223372036854775807");
  EXPECT_EQ(Rational(1, INT64_MIN), parsed("-1/9223372036854775808"));
  EXPECT_EQ(Rational(6, -4), parsed("-1.5"));
}

TEST(Rational, Prints) {
  const std::pair<const char*, const char*> cases[] = {
      {"0", "0"},        {"-0", "0"},         {"100000", "100000"},   {"1000000", "1e6"}, {"-25e20", "-25e20"},
      {"0.5", "0.5"},    {"-0.25", "-0.25"},  {"1/10", "0.1"},        {"1/3", "1/3"},     {"-22/7", "-22/7"},
      {"12.50", "12.5"}, {"1e-5", "0.00001"}, {"0.00012", "0.00012"}, {"inf", "inf"},     {"-inf", "-inf"},
      {"nan", "nan"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(parsed(text).to_string(), expected) << text;
}

TEST(Rational, Predicates) {
  EXPECT_TRUE(Rational().is_zero());
  EXPECT_TRUE(Rational(4, 2).is_integer());
  EXPECT_FALSE(Rational(1, 2).is_integer());
  EXPECT_FALSE(Rational::infinity(false).is_integer());
  EXPECT_FALSE(Rational::infinity(false).finite());
  EXPECT_TRUE(Rational::infinity(true).negative());
  EXPECT_FALSE(Rational::nan().negative());
  EXPECT_TRUE(Rational(-1, 3).negative());
  EXPECT_FALSE(Rational::nan().is_zero());
  EXPECT_FALSE(Rational(0) == Rational::nan());
  EXPECT_FALSE(Rational::infinity(false) == Rational::infinity(true));
}

/// Texts of every magnitude: short and long digits, points and exponents, all over the range and beyond its ends.
std::string random_decimal(std::mt19937_64& random) {
  std::string text = random() % 2 == 0 ? "-" : "";
  const size_t digits = 1 + random() % (random() % 8 == 0 ? 60 : 20), point = random() % (digits + 1);
  for (size_t i = 0; i < digits; ++i) {
    if (i == point && i != 0) text += '.';
    text += static_cast<char>('0' + random() % 10);
  }
  const int exponent = static_cast<int>(random() % 3) == 0 ? static_cast<int>(random() % 720) - 360
                                                           : static_cast<int>(random() % 100) - 50;
  return random() % 4 == 0 ? text : text + "e" + std::to_string(exponent);
}

/// Bits, because == would accept a wrong zero; the rationals have no -0.
uint64_t bits(double x) { return std::bit_cast<uint64_t>(x == 0 ? 0.0 : x); }
uint32_t bits(float x) { return std::bit_cast<uint32_t>(x == 0 ? 0.0F : x); }

TEST(Rational, RoundsLikeStrtod) {
  std::mt19937_64 random(1);
  size_t infinite = 0, tiny = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = random_decimal(random);
    const double expected = std::strtod(text.c_str(), nullptr);
    EXPECT_EQ(bits(parsed(text).to_double()), bits(expected)) << text;
    infinite += std::isinf(expected);
    tiny += expected != 0 && std::fabs(expected) < std::numeric_limits<double>::min();
  }
  EXPECT_GT(infinite, 100U);
  EXPECT_GT(tiny, 100U);
}

TEST(Rational, RoundsLikeStrtof) {
  std::mt19937_64 random(2);
  size_t tiny = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = random_decimal(random);
    const float expected = std::strtof(text.c_str(), nullptr);
    EXPECT_EQ(bits(parsed(text).to_float()), bits(expected)) << text;
    tiny += expected != 0 && std::fabs(expected) < std::numeric_limits<float>::min();
  }
  EXPECT_GT(tiny, 100U);
}

/// Numbers half way between two neighbours, and those a hair beside: where double rounding and ties go wrong.
TEST(Rational, RoundsTiesToEven) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 5000; ++i) {
    const float low = std::bit_cast<float>(static_cast<uint32_t>(random() % 0x7f7fffffU));
    const float high = std::nextafterf(low, INFINITY);
    const mpq_class middle = (mpq_class(static_cast<double>(low)) + mpq_class(static_cast<double>(high))) / 2;
    const mpq_class hair = middle / mpq_class("1000000000000000000000000000000");
    const float even = std::bit_cast<uint32_t>(low) % 2 == 0 ? low : high;
    EXPECT_EQ(bits(from_mpq(middle).to_float()), bits(even)) << low;
    EXPECT_EQ(bits(from_mpq(middle - hair).to_float()), bits(low)) << low;
    EXPECT_EQ(bits(from_mpq(middle + hair).to_float()), bits(high)) << low;
  }
}

TEST(Rational, EndsOfTheRange) {
  EXPECT_EQ(parsed("1.7976931348623157e308").to_double(), std::numeric_limits<double>::max());
  EXPECT_EQ(parsed("1.7976931348623159e308").to_double(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parsed("-1e4000").to_double(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(parsed("1e-4000").to_double(), 0.0);
  EXPECT_EQ(parsed("4.9e-324").to_double(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(parsed("2.4e-324").to_double(), 0.0);
  EXPECT_EQ(parsed("3.4028236e38").to_float(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(parsed("3.4028235e38").to_float(), std::numeric_limits<float>::max());
  EXPECT_EQ(parsed("inf").to_float(), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(parsed("nan").to_float()));
}

TEST(Rational, FromDoubleIsExact) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(random());
    const Rational rational = Rational::from_double(value);
    EXPECT_EQ(rational.is_nan(), std::isnan(value));
    if (!std::isnan(value)) {
      EXPECT_EQ(bits(rational.to_double()), bits(value)) << value;
    }
  }
  EXPECT_EQ(Rational::from_double(0.5), Rational(1, 2));
  EXPECT_FALSE(Rational::from_double(0.1) == Rational(1, 10));
}

TEST(Rational, TextReadsBack) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 5000; ++i) {
    const Rational decimal = parsed(random_decimal(random));
    EXPECT_EQ(parsed(decimal.to_string()), decimal) << decimal.to_string();
    const Rational fraction(static_cast<int64_t>(random()), static_cast<int64_t>(random() >> 1U) + 1);
    EXPECT_EQ(parsed(fraction.to_string()), fraction) << fraction.to_string();
    const Rational real = Rational::from_double(std::bit_cast<double>(random()));
    EXPECT_EQ(parsed(real.to_string()), real) << real.to_string();
  }
}

TEST(SimplestIn, KnownIntervals) {
  EXPECT_EQ(simplest_in(mpq_class(-1), mpq_class(1)), 0);
  EXPECT_EQ(simplest_in(mpq_class(0), mpq_class(5)), 0);
  EXPECT_EQ(simplest_in(mpq_class(5, 2), mpq_class(9, 2)), 3);
  EXPECT_EQ(simplest_in(mpq_class(4), mpq_class(9)), 4);
  EXPECT_EQ(simplest_in(mpq_class(1, 3), mpq_class(1, 3)), mpq_class(1, 3));
  EXPECT_EQ(simplest_in(mpq_class(-9, 2), mpq_class(-17, 4)), mpq_class(-9, 2));
  EXPECT_EQ(simplest_in(mpq_class(314, 100), mpq_class(315, 100)), mpq_class(22, 7));
}

TEST(SimplestIn, OneThirdFromItsFloatNeighbours) {
  const float third = 1.0F / 3.0F;
  const mpq_class low(static_cast<double>(std::nextafterf(third, 0.0F)));
  const mpq_class high(static_cast<double>(std::nextafterf(third, 1.0F)));
  EXPECT_EQ(simplest_in(low, high), mpq_class(1, 3));
  EXPECT_EQ(simplest_in(-high, -low), mpq_class(-1, 3));
}

/// Against a search over all denominators.
TEST(SimplestIn, HasTheSmallestDenominator) {
  std::mt19937_64 random(6);
  size_t fractions = 0;
  for (int i = 0; i < 2000; ++i) {
    mpq_class low(static_cast<long>(random() % 400) - 200, static_cast<long>(random() % 60) + 1);
    low.canonicalize();
    const mpq_class high = low + mpq_class(1, 1 + random() % 3000);
    const mpq_class found = simplest_in(low, high);
    fractions += found.get_den() > 10;
    EXPECT_GE(found, low);
    EXPECT_LE(found, high);
    for (mpz_class d = 1; d < found.get_den(); ++d) {
      mpz_class n;
      const mpq_class scaled = low * d;
      mpz_cdiv_q(n.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
      EXPECT_GT(mpq_class(n), high * d) << found << " is not the simplest in " << low << ", " << high;
    }
  }
  EXPECT_GT(fractions, 500U);
}

}  // namespace
}  // namespace isoshard::rational_test
