// Which real number a constant of a program stands for.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/integers/constants.h"

namespace isoshard::sim::domains_constants_test {
namespace {

Rational parsed(const char* text) { return Rational::parse(text).value(); }

TEST(ConstantReadings, AreWhatIsWrittenUnlessAnotherWasSet) {
  ConstantReadings readings;
  for (const char* text : {"0", "-3", "0.1", "1/3", "1e300", "0.333333343"}) {
    EXPECT_EQ(readings.of(parsed(text), DType::f32), ConstantReading{parsed(text)}) << text;
    EXPECT_FALSE(readings.is_bound(parsed(text), DType::f32)) << text;
  }
  readings.set(parsed("0.333333343"), DType::f32, {Rational(1, 3)});
  EXPECT_EQ(readings.of(parsed("0.333333343"), DType::f32), ConstantReading{Rational(1, 3)});
  EXPECT_EQ(readings.of(parsed("0.333333343"), DType::f64), ConstantReading{parsed("0.333333343")});
  EXPECT_EQ(readings.of(Rational::infinity(true), DType::f32), ConstantReading{Rational::infinity(true)});
  readings.set_bound(parsed("1e300"), DType::f32);
  EXPECT_TRUE(readings.is_bound(parsed("1e300"), DType::f32));
  EXPECT_FALSE(readings.is_bound(parsed("1e300"), DType::f64));
}

TEST(ConstantReadings, OfSquareRootsTakeOutSquares) {
  EXPECT_EQ(square_root(Rational(1, 8)), (ConstantReading{Rational(1, 2), {2}, true}));
  EXPECT_EQ(square_root(Rational(3, 2)), (ConstantReading{Rational(1, 2), {2, 3}}));
  EXPECT_EQ(square_root(Rational(999)), (ConstantReading{Rational(3), {3, 37}}));
  EXPECT_EQ(square_root(Rational(144)), ConstantReading{Rational(12)});
  EXPECT_EQ(square_root(Rational(1, 192)).to_string(), "sqrt(1/192)");
  EXPECT_EQ(square_root(Rational(2)).to_string(), "sqrt(2)");
}

TEST(ConstantReadings, AsDoublesAreNearestAndSayWhenTheyAreExact) {
  EXPECT_EQ(ConstantReading{Rational(1, 3)}.to_double(), 1.0 / 3);
  EXPECT_FALSE(ConstantReading{Rational(1, 3)}.is_double());
  EXPECT_EQ(square_root(Rational(1, 8)).to_double(), std::sqrt(0.125));
  EXPECT_FALSE(square_root(Rational(1, 8)).is_double());
  EXPECT_TRUE((ConstantReading{Rational(-1, 4)}.is_double()));
  EXPECT_FALSE((ConstantReading{parsed("9007199254740993")}).is_double());
  EXPECT_TRUE(ConstantReading{Rational::infinity(true)}.is_double());
}

TEST(RoundedConstants, AreThoseOfTheirDtype) {
  EXPECT_EQ(rounded_to(DType::f64, parsed("0.1")), 0.1);
  EXPECT_EQ(rounded_to(DType::f32, parsed("0.1")), static_cast<double>(0.1f));
  EXPECT_EQ(rounded_to(DType::bf16, parsed("0.999")), 1);
  EXPECT_EQ(rounded_to(DType::f32, parsed("1e-60")), 0);
}

}  // namespace
}  // namespace isoshard::sim::domains_constants_test
