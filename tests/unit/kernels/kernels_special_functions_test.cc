// Functions that other ops could say but for their last digits: against mpmath (tables) and the C library in 64
// significant bits, and their special values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/ir/scalar/arctangent.h"
#include "core/ir/scalar/cube_root.h"
#include "core/ir/scalar/erf.h"
#include "core/ir/scalar/near_one.h"
#include "core/ir/scalar/rounding.h"

namespace isoshard::scalar::kernels_special_functions_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// How far x is from what is exact, in units in the last place of that.
double units(double x, long double exact) {
  const double unit = std::ldexp(1.0, std::max(std::ilogb(exact), -1022) - 52);
  return static_cast<double>(std::fabs(static_cast<long double>(x) - exact)) / unit;
}

/// Of mpmath 1.4.1 with 40 digits: mp.erf and mp.erfc, mp.expm1, mp.log1p, mp.cbrt, mp.atan2 of these doubles.
constexpr long double kErf[][3] = {{-6, -0.999999999999999978L, 1.99999999999999998L},
                                   {-3, -0.999977909503001415L, 1.99997790950300141L},
                                   {-1.5, -0.966105146475310727L, 1.96610514647531073L},
                                   {-0.75, -0.711155633653515132L, 1.71115563365351513L},
                                   {0.25, 0.276326390168236933L, 0.723673609831763067L},
                                   {1, 0.842700792949714869L, 0.157299207050285131L},
                                   {2, 0.995322265018952734L, 0.00467773498104726584L},
                                   {3.5, 0.999999256901627659L, 7.43098372341412746e-7L},
                                   {5, 0.99999999999846254L, 1.53745979442803485e-12L},
                                   {20, 1, 5.39586561160790093e-176L},
                                   {26, 1, 5.66319240885614285e-296L}};
constexpr long double kExpm1[][2] = {{-700, -1},
                                     {-2, -0.864664716763387308L},
                                     {-0.5, -0.393469340287366576L},
                                     {1, 1.71828182845904524L},
                                     {20, 485165194.409790278L},
                                     {60, 1.14200738981568428e+26L},
                                     {700, 1.01423205473500451e+304L}};
constexpr long double kLog1p[][2] = {{-0.5, -0.693147180559945309L}, {1, 0.693147180559945309L}};
constexpr long double kCbrt[][2] = {{-27, -3},
                                    {-2, -1.25992104989487316L},
                                    {0.125, 0.5},
                                    {3, 1.44224957030740838L},
                                    {10, 2.15443469003188372L},
                                    {1e17, 464158.883361277889L}};
constexpr long double kAtan2[][3] = {{1, 1, 0.78539816339744831L},
                                     {1, -1, 2.35619449019234493L},
                                     {-1, -1, -2.35619449019234493L},
                                     {3, 7, 0.404891786285083423L}};

TEST(SpecialFunctions, AreThoseOfTheTables) {
  for (const auto& [x, y, rest] : kErf) {
    EXPECT_LE(units(erf(static_cast<double>(x)), y), 2) << static_cast<double>(x);
    EXPECT_LE(units(erfc(static_cast<double>(x)), rest), 4) << static_cast<double>(x);
  }
  for (const auto& [x, y] : kExpm1) EXPECT_LE(units(exponential_minus_one(static_cast<double>(x)), y), 2);
  for (const auto& [x, y] : kLog1p) EXPECT_LE(units(log_plus_one(static_cast<double>(x)), y), 3);
  for (const auto& [x, y] : kCbrt) EXPECT_LE(units(cbrt(static_cast<double>(x)), y), 1);
  for (const auto& [y, x, angle] : kAtan2) {
    EXPECT_LE(units(atan2(static_cast<double>(y), static_cast<double>(x)), angle), 3);
  }
}

/// Numbers of both signs around 1, and of magnitudes from e^low to e^high.
std::vector<double> arguments(double low, double high) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<double> result;
  for (int i = 0; i < 40000; ++i) {
    result.push_back(4 * unit(random));
    result.push_back((i % 2 == 0 ? 1 : -1) * std::exp(low + (high - low) * std::fabs(unit(random))));
  }
  return result;
}

template <class F, class Exact>
double worst(const std::vector<double>& x, const F& f, const Exact& exact) {
  double result = 0;
  for (const double number : x) {
    const long double known = exact(static_cast<long double>(number));
    if (std::isfinite(static_cast<double>(known))) result = std::max(result, units(f(number), known));
  }
  return result;
}

TEST(SpecialFunctions, AreAccurateInDouble) {
  EXPECT_LE(worst(
                arguments(-700, 2), [](double x) { return erf(x); }, [](long double x) { return std::erf(x); }),
            2);
  EXPECT_LE(worst(
                arguments(-700, 3.2), [](double x) { return erfc(x); }, [](long double x) { return std::erfc(x); }),
            4);
  EXPECT_LE(worst(
                arguments(-744, 709), [](double x) { return cbrt(x); }, [](long double x) { return std::cbrt(x); }),
            0.6);
  EXPECT_LE(worst(
                arguments(-740, 6.5), [](double x) { return exponential_minus_one(x); },
                [](long double x) { return std::expm1(x); }),
            2);
  EXPECT_LE(
      worst(
          arguments(-740, 700), [](double x) { return log_plus_one(x); }, [](long double x) { return std::log1p(x); }),
      3);
  for (const double x : {1.0, -0.3, 1e-200, 1e200}) {
    EXPECT_LE(worst(
                  arguments(-700, 700), [x](double y) { return atan2(y, x); },
                  [x](long double y) { return std::atan2(y, static_cast<long double>(x)); }),
              3);
  }
}

TEST(SpecialFunctions, InFloatAreThoseInDoubleRoundedOnce) {
  for (const double number : arguments(-80, 4)) {
    const auto x = static_cast<float>(number);
    const double wide = x;
    EXPECT_EQ(erf(x), static_cast<float>(erf(wide)));
    EXPECT_EQ(erfc(x), static_cast<float>(erfc(wide)));
    EXPECT_EQ(cbrt(x), static_cast<float>(cbrt(wide)));
    EXPECT_EQ(exponential_minus_one(x), static_cast<float>(exponential_minus_one(wide)));
    if (x > -1) {
      EXPECT_EQ(log_plus_one(x), static_cast<float>(log_plus_one(wide)));
    }
    EXPECT_EQ(atan2(x, 2.0f), static_cast<float>(atan2(wide, 2.0)));
  }
}

/// The same number with the same sign, or both nan.
void expect_same(double x, double expected, const char* what) {
  EXPECT_TRUE(x == expected || (std::isnan(x) && std::isnan(expected))) << what << ": " << x << " " << expected;
  if (!std::isnan(expected)) {
    EXPECT_EQ(std::signbit(x), std::signbit(expected)) << what;
  }
}

TEST(SpecialFunctions, HaveTheSpecialValuesOfTheCLibrary) {
  for (const double x : {0.0, -0.0, kInf, -kInf, kNan}) {
    expect_same(erf(x), std::erf(x), "erf");
    expect_same(erfc(x), std::erfc(x), "erfc");
    expect_same(cbrt(x), std::cbrt(x), "cbrt");
    expect_same(exponential_minus_one(x), std::expm1(x), "expm1");
    expect_same(log_plus_one(x), std::log1p(x), "log1p");
  }
  expect_same(log_plus_one(-1.0), -kInf, "log1p");
  expect_same(log_plus_one(-2.0), kNan, "log1p");
  for (const double y : {0.0, -0.0, 1.0, -1.0, kInf, -kInf, kNan}) {
    for (const double x : {0.0, -0.0, 1.0, -1.0, kInf, -kInf, kNan}) {
      const double angle = std::atan2(y, x);
      const bool near = angle != 0 && units(atan2(y, x), angle) <= 3;
      expect_same(near ? angle : atan2(y, x), angle, "atan2");
    }
  }
}

TEST(SpecialFunctions, RoundToTheNearestInteger) {
  for (const double x :
       {0.0, 0.3, 0.5, 0.49999999999999994, 0.7, 1.5, 2.5, 3.4999, 4503599627370497.5, 1e300, kInf, kNan}) {
    for (const double number : {x, -x}) {
      expect_same(round_nearest_even(number), std::nearbyint(number), "even");
      expect_same(round_nearest_afz(number), std::round(number), "away from zero");
      const auto narrow = static_cast<float>(number);
      expect_same(round_nearest_even(narrow), std::nearbyint(narrow), "even");
      expect_same(round_nearest_afz(narrow), std::round(narrow), "away from zero");
    }
  }
}

}  // namespace
}  // namespace isoshard::scalar::kernels_special_functions_test
