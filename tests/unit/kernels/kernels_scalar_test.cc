// Accuracy and special values of the elementwise scalar functions, against the 64-bit significand of long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>

#include "core/ir/scalar/exponential.h"
#include "core/ir/scalar/log.h"
#include "core/ir/scalar/logistic.h"
#include "core/ir/scalar/tanh.h"

namespace isoshard::scalar::kernels_scalar_test {
namespace {

static_assert(LDBL_MANT_DIG >= 64, "the reference needs more digits than double");

struct Exp {
  static constexpr const char* kName = "exponential";
  static constexpr long double kBound = 0.66L;
  template <typename T>
  static T ours(T x) {
    return exponential(x);
  }
  static long double reference(long double x) { return std::exp(x); }
};
struct Log {
  static constexpr const char* kName = "log";
  static constexpr long double kBound = 0.85L;
  template <typename T>
  static T ours(T x) {
    return log(x);
  }
  static long double reference(long double x) { return std::log(x); }
};
struct Tanh {
  static constexpr const char* kName = "tanh";
  static constexpr long double kBound = 0.9L;
  template <typename T>
  static T ours(T x) {
    return tanh(x);
  }
  static long double reference(long double x) { return std::tanh(x); }
};
struct Logistic {
  static constexpr const char* kName = "logistic";
  static constexpr long double kBound = 0.8L;
  template <typename T>
  static T ours(T x) {
    return logistic(x);
  }
  static long double reference(long double x) { return 1.0L / (1.0L + std::exp(-x)); }
};

/// The distance of two neighbouring T around |x|.
template <typename T>
long double unit_in_last_place(long double x) {
  constexpr int kLowest = std::numeric_limits<T>::min_exponent - 1;  // exponent of the smallest normal number
  const int exponent = x == 0 ? kLowest : std::ilogb(x);
  return std::ldexp(1.0L, std::max(exponent, kLowest) - (std::numeric_limits<T>::digits - 1));
}

template <typename T>
struct Worst {
  long double normal = 0;
  long double subnormal = 0;
  T at = 0;
};

template <typename F, typename T>
void measure(T x, Worst<T>& worst) {
  const T y = F::template ours<T>(x);
  const long double exact = F::reference(static_cast<long double>(x));
  if (!(std::fabs(exact) <= static_cast<long double>(std::numeric_limits<T>::max()))) return;  // special values: below
  const long double error = std::fabs(static_cast<long double>(y) - exact) / unit_in_last_place<T>(exact);
  if (std::fabs(exact) < static_cast<long double>(std::numeric_limits<T>::min())) {
    worst.subnormal = std::max(worst.subnormal, error);
  } else if (error > worst.normal || !(error == error)) {
    worst.normal = error;
    worst.at = x;
  }
}

template <typename F, typename T>
void expect_accurate(const Worst<T>& worst, long samples) {
  std::printf("%s f%zu: %ld samples, %.4Lf ulp at %a, %.4Lf ulp where subnormal\n", F::kName, sizeof(T) * 8, samples,
              worst.normal, static_cast<double>(worst.at), worst.subnormal);
  EXPECT_LE(worst.normal, F::kBound) << F::kName << " at " << static_cast<double>(worst.at);
  EXPECT_LE(worst.subnormal, 0.8L) << F::kName;
}

template <typename F>
class ScalarFunction : public ::testing::Test {};
using Functions = ::testing::Types<Exp, Log, Tanh, Logistic>;
TYPED_TEST_SUITE(ScalarFunction, Functions);

TYPED_TEST(ScalarFunction, FloatIsAccurateOverAllBitPatterns) {
  Worst<float> worst;
  long samples = 0;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4999) {
    const float x = bits_as<float>(static_cast<std::uint32_t>(bits));
    if (!std::isfinite(x) || !(TypeParam::reference(1.0L * x) == TypeParam::reference(1.0L * x))) continue;
    measure<TypeParam>(x, worst);
    ++samples;
  }
  EXPECT_GT(samples, 400000);
  expect_accurate<TypeParam>(worst, samples);
}

TYPED_TEST(ScalarFunction, DoubleIsAccurate) {
  Worst<double> worst;
  std::mt19937_64 random(7);
  long samples = 0;
  const auto sample = [&](double x) {
    if (!std::isfinite(x) || !(TypeParam::reference(x) == TypeParam::reference(x))) return;
    measure<TypeParam>(x, worst);
    ++samples;
  };
  std::uniform_real_distribution<double> narrow(-2, 2), middle(-40, 40), wide(-750, 750), near_one(0.6, 1.6);
  for (int i = 0; i < 60000; ++i) {
    sample(narrow(random));
    sample(middle(random));
    sample(wide(random));
    sample(near_one(random));
    sample(bits_as<double>(random()));
  }
  EXPECT_GT(samples, 100000);
  expect_accurate<TypeParam>(worst, samples);
}

template <typename T>
typename Format<T>::Bits bits_of(T x) {
  return bits_as<typename Format<T>::Bits>(x);
}

template <typename T>
class ScalarSpecial : public ::testing::Test {
 public:
  static constexpr T kInfinity = std::numeric_limits<T>::infinity();
  static constexpr T kTiniest = std::numeric_limits<T>::denorm_min();
  static void expect_bits(T actual, T expected) { EXPECT_EQ(bits_of(actual), bits_of(expected)); }
};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ScalarSpecial, Floats);

TYPED_TEST(ScalarSpecial, CanonicalNan) {
  using T = TypeParam;
  using Word = decltype(bits_of(T(0)));
  const Word expected = static_cast<Word>(sizeof(T) == 4 ? 0x7fc00000u : 0x7ff8000000000000u);
  EXPECT_EQ(bits_of(canonical_nan<T>()), expected);
  for (const Word bits : {static_cast<Word>(expected | 5), static_cast<Word>(~Word{0})}) {
    const T nan = bits_as<T>(bits);
    for (const T y : {canonical(nan), exponential(nan), log(nan), tanh(nan), logistic(nan)}) {
      EXPECT_EQ(bits_of(y), expected);
    }
  }
}

TYPED_TEST(ScalarSpecial, ZerosAndInfinities) {
  using T = TypeParam;
  const T infinity = this->kInfinity;
  for (const T zero : {T(0), -T(0)}) {
    this->expect_bits(exponential(zero), T(1));
    this->expect_bits(log(zero), -infinity);
    this->expect_bits(tanh(zero), zero);
    this->expect_bits(logistic(zero), T(0.5));
  }
  this->expect_bits(log(T(1)), T(0));
  this->expect_bits(exponential(infinity), infinity);
  this->expect_bits(exponential(-infinity), T(0));
  this->expect_bits(log(infinity), infinity);
  this->expect_bits(log(-infinity), canonical_nan<T>());
  this->expect_bits(log(-this->kTiniest), canonical_nan<T>());
  this->expect_bits(tanh(infinity), T(1));
  this->expect_bits(tanh(-infinity), T(-1));
  this->expect_bits(logistic(infinity), T(1));
  this->expect_bits(logistic(-infinity), T(0));
}

TYPED_TEST(ScalarSpecial, OverflowAndUnderflowAreReachedGradually) {
  using T = TypeParam;
  const T max = std::numeric_limits<T>::max();
  this->expect_bits(exponential(max), this->kInfinity);
  this->expect_bits(exponential(-max), T(0));
  const T last = static_cast<T>(std::log(static_cast<long double>(max)));  // may round to either side
  EXPECT_LT(exponential(std::nextafter(last, T(0))), this->kInfinity);
  EXPECT_GT(exponential(std::nextafter(last, T(0))), max / 2);
  this->expect_bits(exponential(std::nextafter(std::nextafter(last, max), max)), this->kInfinity);
  const T tiny_log = std::log(static_cast<T>(this->kTiniest));
  this->expect_bits(exponential(tiny_log), this->kTiniest);
  this->expect_bits(logistic(tiny_log), this->kTiniest);
  this->expect_bits(exponential(tiny_log - T(1)), T(0));
  EXPECT_NEAR(static_cast<double>(log(this->kTiniest) / tiny_log), 1.0, 1e-6);
}

TYPED_TEST(ScalarSpecial, TinyArguments) {
  using T = TypeParam;
  for (const T x : {this->kTiniest, std::numeric_limits<T>::min(), std::numeric_limits<T>::min() * T(3.5)}) {
    this->expect_bits(tanh(x), x);
    this->expect_bits(tanh(-x), -x);
    this->expect_bits(exponential(x), T(1));
    this->expect_bits(logistic(-x), T(0.5));
  }
}

TYPED_TEST(ScalarSpecial, MonotoneAcrossReductionBoundaries) {
  using T = TypeParam;
  // Around odd multiples of ln(2) / 2, where the argument reduction steps.
  for (int k = -40; k <= 40; ++k) {
    const T boundary = static_cast<T>((k + 0.5) * 0.69314718055994530942);
    T x = boundary - std::fabs(boundary) * std::numeric_limits<T>::epsilon() * T(64);
    for (int step = 0; step < 128; ++step) {
      const T next = std::nextafter(x, std::numeric_limits<T>::max());
      ASSERT_LE(exponential(x), exponential(next)) << static_cast<double>(x);
      ASSERT_LE(tanh(x), tanh(next)) << static_cast<double>(x);
      ASSERT_LE(logistic(x), logistic(next)) << static_cast<double>(x);
      x = next;
    }
  }
}

}  // namespace
}  // namespace isoshard::scalar::kernels_scalar_test
