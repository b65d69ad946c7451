// Which real number a constant of a program is taken for.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>

#include "core/support/rational_gmp.h"
#include "sim/constants.h"

namespace isoshard::sim::domains_constants_test {
namespace {

struct Case {
  const char* text;
  DType dtype;
  const char* factor;
  std::vector<uint32_t> roots;
};

void PrintTo(const Case& c, std::ostream* out) { *out << name(c.dtype) << ' ' << c.text; }

class Constants : public ::testing::TestWithParam<Case> {};

TEST_P(Constants, AreReadAsTheNumberThatWasMeant) {
  const Case& c = GetParam();
  const ConstantReading reading = read_constant(*Rational::parse(c.text), c.dtype);
  EXPECT_EQ(reading.factor, *Rational::parse(c.factor)) << reading.factor.to_string();
  EXPECT_EQ(reading.roots, c.roots);
}

INSTANTIATE_TEST_SUITE_P(
    Readings, Constants,
    ::testing::Values(Case{"0", DType::f32, "0", {}}, Case{"-3", DType::f32, "-3", {}},
                      Case{"16777217", DType::f32, "16777217", {}},  // integers are exact, also beyond f32
                      Case{"1e300", DType::f32, "1e300", {}}, Case{"0.5", DType::f32, "1/2", {}},
                      Case{"0.1", DType::f32, "1/10", {}}, Case{"0.1", DType::f64, "1/10", {}},
                      Case{"0.100000001490116119384765625", DType::f32, "1/10", {}},
                      Case{"0.333333343", DType::f32, "1/3", {}}, Case{"-0.333333343", DType::f32, "-1/3", {}},
                      Case{"0.3333333333333333", DType::f64, "1/3", {}},
                      Case{"0.044715", DType::f64, "8943/200000", {}}, Case{"1e-5", DType::f32, "1/100000", {}},
                      Case{"1e-60", DType::f32, "0", {}},  // rounds to 0 in f32
                      // 1/sqrt(8) in f32 and f64, sqrt(2), sqrt(2/3), 1/sqrt(15), 3 sqrt(5) / 7, sqrt(999)
                      Case{"0.353553385", DType::f32, "1/4", {2}}, Case{"0.35355339059327379", DType::f64, "1/4", {2}},
                      Case{"1.41421354", DType::f32, "1", {2}}, Case{"-1.41421354", DType::f32, "-1", {2}},
                      Case{"0.816496581", DType::f32, "1/3", {2, 3}}, Case{"0.258198887", DType::f32, "1/15", {3, 5}},
                      Case{"31.6069613", DType::f32, "3", {3, 37}}, Case{"inf", DType::f32, "inf", {}},
                      Case{"-inf", DType::f32, "-inf", {}}, Case{"nan", DType::f64, "nan", {}}));

TEST(ConstantsOfTwoDtypes, NameTheSameNumberWhereBothWereRoundedFromIt) {
  for (const double x : {0.1, 0.02, 1.0 / 7, 0.7978845608028654, 1e-6, 123.456, std::sqrt(1.0 / 6)}) {
    const Rational as_f32 = Rational::from_double(static_cast<double>(static_cast<float>(x)));
    const ConstantReading wide = read_constant(Rational::from_double(x), DType::f64);
    const ConstantReading written =
        read_constant(wide.roots.empty() ? wide.factor : Rational::from_double(x), DType::f32);
    EXPECT_EQ(read_constant(as_f32, DType::f32), written) << x;
  }
}

TEST(ConstantsOfTwoDtypes, AreReadInTheirOwnPrecision) {
  const Rational digits = *Rational::parse("0.100000001490116119384765625");  // 0.1f
  EXPECT_EQ(read_constant(digits, DType::f32).factor, Rational(1, 10));
  const ConstantReading wide = read_constant(digits, DType::f64);
  EXPECT_TRUE(wide.roots.empty());
  EXPECT_EQ(wide.to_double(), static_cast<double>(0.1f));
}

TEST(ConstantsAsDoubles, AreNearestAndSayWhenTheyAreExact) {
  const ConstantReading third = read_constant(Rational(1, 3), DType::f32);
  EXPECT_EQ(third.to_double(), 1.0 / 3);
  EXPECT_FALSE(third.is_double());
  const ConstantReading root = read_constant(*Rational::parse("0.353553385"), DType::f32);
  EXPECT_EQ(root.to_double(), std::sqrt(0.125));
  EXPECT_FALSE(root.is_double());
  const ConstantReading quarter = read_constant(Rational(-1, 4), DType::f32);
  EXPECT_EQ(quarter.to_double(), -0.25);
  EXPECT_TRUE(quarter.is_double());
  EXPECT_FALSE((ConstantReading{*Rational::parse("9007199254740993"), {}}).is_double());
  EXPECT_TRUE(read_constant(Rational::infinity(true), DType::f32).is_double());
}

TEST(ConstantsAtTheEndOfTheRange, StayFinite) {
  const double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(read_constant(Rational::from_double(largest), DType::f64).factor, Rational::from_double(largest));
  const Rational beyond = *Rational::parse("4e38");
  const Rational fraction = from_mpq(to_mpq(beyond) + mpq_class(1, 2));
  EXPECT_EQ(read_constant(fraction, DType::f32).factor, fraction);
  const ConstantReading tiny = read_constant(Rational::from_double(5e-324), DType::f64);
  EXPECT_GT(to_mpq(tiny.factor), 0);
  EXPECT_EQ(tiny.to_double(), 5e-324);
}

}  // namespace
}  // namespace isoshard::sim::domains_constants_test
