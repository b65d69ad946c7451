// Accuracy and special values of sqrt, rsqrt, sine, cosine, power, floor, remainder and of the 16-bit formats, against
// the 64-bit significand of long double and the C library's exact functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include "core/ir/scalar/narrow.h"
#include "core/ir/scalar/power.h"
#include "core/ir/scalar/roots.h"
#include "core/ir/scalar/trigonometric.h"

namespace isoshard::scalar::kernels_scalar_functions_test {
namespace {

static_assert(LDBL_MANT_DIG >= 64, "the reference needs more digits than double");

template <typename T>
using Bits = typename Format<T>::Bits;

/// |y - exact| in units of the last place of T at `exact`.
template <typename T>
long double ulps(T y, long double exact) {
  constexpr int kLowest = std::numeric_limits<T>::min_exponent - 1;
  const int exponent = exact == 0 ? kLowest : std::ilogb(exact);
  const long double unit = std::ldexp(1.0L, std::max(exponent, kLowest) - (std::numeric_limits<T>::digits - 1));
  return std::fabs(static_cast<long double>(y) - exact) / unit;
}

/// Random numbers of any size, near 1, and near multiples of pi/2.
template <typename T>
std::vector<T> arguments(int count) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> narrow(-2, 2), wide(-1000, 1000);
  std::vector<T> result;
  for (int i = 0; i < count; ++i) {
    const T any = bits_as<T>(static_cast<Bits<T>>(random()));
    if (std::isfinite(any)) result.push_back(any);
    result.push_back(static_cast<T>(narrow(random)));
    result.push_back(static_cast<T>(wide(random)));
    const long double turns = static_cast<long double>(random() >> (random() % 60));
    result.push_back(static_cast<T>(turns * 1.57079632679489661923132169163975144L));
  }
  return result;
}

template <typename T, typename Ours, typename Exact>
void expect_accurate(const char* name, long double bound, Ours ours, Exact exact) {
  long double worst = 0;
  T at = 0;
  for (const T x : arguments<T>(20000)) {
    const long double reference = exact(static_cast<long double>(x));
    if (!(std::fabs(reference) <= static_cast<long double>(std::numeric_limits<T>::max()))) continue;
    const long double error = ulps(ours(x), reference);
    if (error <= worst) continue;
    worst = error;
    at = x;
  }
  std::printf("%s f%zu: %.4Lf ulp at %a\n", name, sizeof(T) * 8, worst, static_cast<double>(at));
  EXPECT_LE(worst, bound) << name << " at " << static_cast<double>(at);
}

template <typename T>
class ScalarMore : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ScalarMore, Floats);

TYPED_TEST(ScalarMore, FunctionsOfOneArgumentAreAccurate) {
  using T = TypeParam;
  expect_accurate<T>(
      "sqrt", 0.5L, [](T x) { return sqrt(x); }, [](long double x) { return std::sqrt(x); });
  expect_accurate<T>(
      "rsqrt", 1.5L, [](T x) { return rsqrt(x); }, [](long double x) { return 1 / std::sqrt(x); });
  expect_accurate<T>(
      "sine", 1.0L, [](T x) { return sine(x); }, [](long double x) { return std::sin(x); });
  expect_accurate<T>(
      "cosine", 1.0L, [](T x) { return cosine(x); }, [](long double x) { return std::cos(x); });
}

TEST(ScalarSine, NearTheWorstMultiplesOfHalfPi) {
  // The doubles next to a multiple of pi/2 (J.-M. Muller, Elementary Functions): the angle is 2^-60 and smaller.
  for (const double x : {0x1.6ac5b262ca1ffp+849, 6381956970095103.0 * 0x1p797, 0x1.921fb54442d18p+1, 0x1p1023,
                         0x1.fffffffffffffp1023, 0x1p40, 0x1.fffffffffffffp39, 1e22}) {
    EXPECT_LE(ulps(sine(x), std::sin(static_cast<long double>(x))), 1.0L) << x;
    EXPECT_LE(ulps(cosine(x), std::cos(static_cast<long double>(x))), 1.0L) << x;
    EXPECT_EQ(sine(-x), -sine(x));
    EXPECT_EQ(cosine(-x), cosine(x));
  }
  EXPECT_EQ(sine(1e22), -0.8522008497671888);  // a number that famously goes wrong
}

TYPED_TEST(ScalarMore, PowerIsAccurate) {
  using T = TypeParam;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> logs(-700, 700), small(-8, 8), sizes(-300, 300);
  long double worst = 0;
  for (int i = 0; i < 60000; ++i) {
    const double scale = sizeof(T) == 4 ? 0.12 : 1.0;
    const T x = static_cast<T>(i % 2 == 0 ? std::exp(small(random)) : std::exp(sizes(random) * scale));
    const T y = static_cast<T>(i % 3 == 0 ? std::floor(small(random)) : logs(random) * scale / std::log(double{x}));
    const long double exact = std::pow(static_cast<long double>(x), static_cast<long double>(y));
    if (!(exact <= static_cast<long double>(std::numeric_limits<T>::max()))) continue;
    const long double error = ulps(power(x, y), exact);
    ASSERT_LE(error, 2.0L) << double{x} << "^" << double{y};
    worst = std::max(worst, error);
  }
  std::printf("power f%zu: %.4Lf ulp\n", sizeof(T) * 8, worst);
}

TYPED_TEST(ScalarMore, PowersThatAreNumbersAreExact) {
  using T = TypeParam;
  for (int n = -20; n <= 20; ++n) {
    for (int base = 1; base <= 10; ++base) {
      const long double exact = std::pow(static_cast<long double>(base), static_cast<long double>(n));
      if (static_cast<long double>(static_cast<T>(exact)) != exact) continue;
      EXPECT_EQ(power(static_cast<T>(base), static_cast<T>(n)), static_cast<T>(exact)) << base << "^" << n;
    }
  }
  EXPECT_EQ(power(T(9), T(0.5)), T(3));
  EXPECT_EQ(power(T(-2), T(3)), T(-8));
  EXPECT_EQ(power(T(-2), T(-2)), T(0.25));
}

template <typename T>
std::vector<T> special_numbers() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> result;
  for (const T x : {T(0), T(0.5), T(1), T(1.5), T(2), T(3), T(4), Limits::denorm_min(), Limits::min(), Limits::max(),
                    Limits::infinity(), Limits::epsilon(), static_cast<T>(Bits<T>{1} << Format<T>::kMantissa)}) {
    result.push_back(x);
    result.push_back(-x);
  }
  result.push_back(Limits::quiet_NaN());
  return result;
}

/// Equal as numbers, with the signs of zeros; any two NaNs.
template <typename T>
bool alike(T a, T b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

TYPED_TEST(ScalarMore, SpecialValues) {
  using T = TypeParam;
  for (const T x : special_numbers<T>()) {
    EXPECT_TRUE(alike(sqrt(x), std::sqrt(x))) << double{x};
    EXPECT_TRUE(alike(rsqrt(x), T(1) / std::sqrt(x))) << double{x};
    EXPECT_TRUE(alike(floor(x), std::floor(x))) << double{x};
    if (!std::isfinite(x)) {
      EXPECT_TRUE(std::isnan(sine(x)) && std::isnan(cosine(x))) << double{x};
    }
    for (const T y : special_numbers<T>()) {
      // Powers beside overflow may round the other way; all that are exact, 0, infinite or no number may not.
      const T exact = static_cast<T>(std::pow(x, y)), ours = power(x, y);
      EXPECT_TRUE(alike(ours, exact) || std::fabs(ours - exact) <= std::fabs(exact) * std::numeric_limits<T>::epsilon())
          << double{x} << "^" << double{y} << " is " << double{ours};
      EXPECT_TRUE(alike(remainder(x, y), std::fmod(x, y))) << double{x} << " rem " << double{y};
    }
  }
  EXPECT_TRUE(alike(sine(T(-0.0)), T(-0.0)));
  EXPECT_EQ(cosine(T(0)), T(1));
  const Bits<T> expected = bits_as<Bits<T>>(canonical_nan<T>());
  const T nan = bits_as<T>(static_cast<Bits<T>>(~Bits<T>{0}));
  for (const T y :
       {sqrt(nan), rsqrt(nan), sine(nan), cosine(nan), floor(nan), power(nan, T(2)), remainder(nan, T(2))}) {
    EXPECT_EQ(bits_as<Bits<T>>(y), expected);
  }
}

TYPED_TEST(ScalarMore, FloorAndRemainderAreExact) {
  using T = TypeParam;
  const std::vector<T> x = arguments<T>(5000);
  for (size_t i = 0; i + 7 < x.size(); ++i) {
    ASSERT_TRUE(alike(floor(x[i]), std::floor(x[i]))) << double{x[i]};
    ASSERT_TRUE(alike(remainder(x[i], x[i + 7]), std::fmod(x[i], x[i + 7])))
        << double{x[i]} << " rem " << double{x[i + 7]};
  }
}

/// All values of a narrow format from 0 on, by its definition.
template <typename Narrow>
std::vector<double> values_of() {
  std::vector<double> result;
  for (int exponent = kMinExponent<Narrow>; exponent <= Narrow::kMaxExponent; ++exponent) {
    const int from = exponent == kMinExponent<Narrow> ? 0 : 1 << Narrow::kMantissa;
    for (int digits = from; digits < 2 << Narrow::kMantissa; ++digits) {
      result.push_back(std::ldexp(digits, exponent - Narrow::kMantissa));
    }
  }
  if (!Narrow::kInfinite) result.pop_back();  // nan
  return result;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

template <typename Narrow>
void expect_nearest(const char* name) {
  using Bits = typename Narrow::Bits;
  constexpr auto kSign = static_cast<Bits>(1U << (8 * sizeof(Bits) - 1));
  const double beyond = Narrow::kInfinite ? std::numeric_limits<double>::infinity() : std::nan("");
  const std::vector<double> values = values_of<Narrow>();
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = values[i];
    const auto bits = static_cast<Bits>(i);  // the bits count the values
    ASSERT_EQ(narrow_bits<Narrow>(static_cast<float>(x)), bits) << name << " " << x;
    ASSERT_EQ(narrow_bits<Narrow>(-static_cast<float>(x)), bits | kSign) << name << " " << -x;
    ASSERT_EQ(static_cast<double>(widened<Narrow>(bits)), x) << name;
    ASSERT_TRUE(alike(widened<Narrow>(static_cast<Bits>(bits | kSign)), -static_cast<float>(x))) << name;
    const double next = i + 1 < values.size() ? values[i + 1] : x + (x - values[i - 1]);
    const double upper = i + 1 < values.size() ? next : beyond;
    const double middle = x + (next - x) / 2;
    const double even = i % 2 == 0 ? x : upper;
    for (const double sign : {1.0, -1.0}) {
      ASSERT_EQ(narrowed<Narrow>(sign * x), sign * x);
      ASSERT_TRUE(same(narrowed<Narrow>(sign * middle), sign * even)) << name << " " << middle;
      ASSERT_EQ(narrowed<Narrow>(sign * std::nextafter(middle, 0.0)), sign * x) << name << " " << middle;
      ASSERT_TRUE(same(narrowed<Narrow>(sign * std::nextafter(middle, 1e300)), sign * upper)) << name << " " << middle;
      const float half = static_cast<float>(sign * middle);
      ASSERT_TRUE(same(static_cast<double>(narrowed<Narrow>(half)), sign * even)) << name << " " << middle;
      ASSERT_EQ(static_cast<double>(narrowed<Narrow>(std::nextafter(half, 0.0F))), sign * x) << name << " " << middle;
    }
  }
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(same(static_cast<double>(narrowed<Narrow>(infinity)), beyond));
  EXPECT_TRUE(same(static_cast<double>(widened<Narrow>(narrow_bits<Narrow>(-infinity))), -beyond));
  EXPECT_TRUE(std::isnan(widened<Narrow>(narrow_bits<Narrow>(canonical_nan<float>()))));
  EXPECT_TRUE(alike(narrowed<Narrow>(-0.0F), -0.0F));
}

TEST(ScalarNarrow, EveryValueAndMidpointOfBf16) { expect_nearest<Bf16>("bf16"); }
TEST(ScalarNarrow, EveryValueAndMidpointOfF16) { expect_nearest<F16>("f16"); }
TEST(ScalarNarrow, EveryValueAndMidpointOfF8E4M3) { expect_nearest<F8E4M3>("f8e4m3"); }
TEST(ScalarNarrow, EveryValueAndMidpointOfF8E5M2) { expect_nearest<F8E5M2>("f8e5m2"); }

/// Table 1 of P. Micikevicius et al., FP8 formats for deep learning (2022).
TEST(ScalarNarrow, TheEdgesOfTheEightBitFormats) {
  EXPECT_EQ(widened<F8E4M3>(0x7e), 448);
  EXPECT_EQ(widened<F8E4M3>(0x08), 0x1p-6F);
  EXPECT_EQ(widened<F8E4M3>(0x07), 0x1.cp-7F);
  EXPECT_EQ(widened<F8E4M3>(0x01), 0x1p-9F);
  EXPECT_TRUE(std::isnan(widened<F8E4M3>(0x7f)) && std::isnan(widened<F8E4M3>(0xff)));
  EXPECT_EQ(narrow_bits<F8E4M3>(canonical_nan<float>()), 0x7f);
  EXPECT_EQ(widened<F8E5M2>(0x7b), 57344);
  EXPECT_EQ(widened<F8E5M2>(0x04), 0x1p-14F);
  EXPECT_EQ(widened<F8E5M2>(0x03), 0x1.8p-15F);
  EXPECT_EQ(widened<F8E5M2>(0x01), 0x1p-16F);
  EXPECT_TRUE(std::isinf(widened<F8E5M2>(0x7c)) && std::isinf(widened<F8E5M2>(0xfc)));
  for (const int nan : {0x7d, 0x7e, 0x7f, 0xfd}) {
    EXPECT_TRUE(std::isnan(widened<F8E5M2>(static_cast<std::uint8_t>(nan))));
  }
}

}  // namespace
}  // namespace isoshard::scalar::kernels_scalar_functions_test
