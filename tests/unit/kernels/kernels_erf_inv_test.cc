// The inverse error function: accuracy against long double, special values, and what random numbers rely on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/ir/scalar/erf_inv.h"

namespace isoshard::scalar::kernels_erf_inv_test {
namespace {

/// By Newton's method from our own result, with the C library's erf and erfc of 64 significant bits.
long double exact_erf_inv(double x) {
  constexpr long double kTwoOverRootPi = 1.12837916709551257389615890312154517L;
  const double size = std::fabs(x);
  long double y = erf_inv(size);
  for (int i = 0; i < 3; ++i) {
    const long double beyond =
        size < 0.5 ? std::erf(y) - static_cast<long double>(size) : static_cast<long double>(1 - size) - std::erfc(y);
    y -= beyond / (kTwoOverRootPi * std::exp(-y * y));
  }
  return x < 0 ? -y : y;
}

/// Uniform, near 0 and near 1.
std::vector<double> arguments() {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<double> result;
  for (int i = 0; i < 20000; ++i) {
    const double u = unit(random);
    result.push_back(2 * u - 1);
    result.push_back(std::exp(-30 * u));
    result.push_back(1 - std::exp(-36 * u));
    result.push_back(1 - 0x1p-53 * (1 + static_cast<double>(random() % 1000)));
  }
  return result;
}

TEST(ScalarErfInv, IsAccurateInDouble) {
  double worst = 0;
  for (const double x : arguments()) {
    if (!(x > -1 && x < 1)) continue;
    const long double exact = exact_erf_inv(x);
    const double unit = std::ldexp(1.0, std::ilogb(exact) - 52);
    worst = std::max(worst, static_cast<double>(std::fabs(static_cast<long double>(erf_inv(x)) - exact)) / unit);
  }
  EXPECT_LE(worst, 4);
}

TEST(ScalarErfInv, IsAsAccurateAsThePolynomialInFloat) {
  double worst = 0;
  for (const double x : arguments()) {
    const auto narrow = static_cast<float>(x);
    if (!(std::fabs(narrow) < 1) || narrow == 0) continue;
    const double exact = erf_inv(static_cast<double>(narrow));
    worst = std::max(worst, std::fabs(static_cast<double>(erf_inv(narrow)) - exact) / std::fabs(exact));
  }
  EXPECT_LE(worst, 6e-6);
}

template <typename T>
class ErfInvOf : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ErfInvOf, Floats);

TYPED_TEST(ErfInvOf, SpecialValues) {
  using T = TypeParam;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  EXPECT_EQ(erf_inv(T(1)), kInfinity);
  EXPECT_EQ(erf_inv(T(-1)), -kInfinity);
  EXPECT_EQ(erf_inv(T(0)), T(0));
  EXPECT_TRUE(std::signbit(erf_inv(T(-0.0))));
  for (const T x : {std::nextafter(T(1), T(2)), T(-2), kInfinity, -kInfinity, std::numeric_limits<T>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(erf_inv(x)));
  }
  EXPECT_TRUE(std::isfinite(erf_inv(std::nextafter(T(1), T(0)))));
  for (const double x : arguments()) EXPECT_EQ(erf_inv(static_cast<T>(-x)), -erf_inv(static_cast<T>(x)));
}

/// A normal number cut at 2 deviations is made from a + k·2^-23·(b - a), k < 2^23: no k reaches the ends, so nothing is
/// lost when JAX's clip is left out (parallel/module/rng.cc). The numbers also ascend.
TEST(ScalarErfInv, CutNormalNumbersNeedNoClip) {
  constexpr float kEnd = 0x1.e8b43p-1f;  // erf(sqrt(2))
  const float root = std::sqrt(2.0f);
  EXPECT_EQ(kEnd, static_cast<float>(std::erf(std::sqrt(2.0))));
  float before = -2;
  bool inside = true;
  for (int k = 0; k < 1 << 23; ++k) {
    const float normal = root * erf_inv(std::fma(static_cast<float>(k) * 0x1p-23f, 2 * kEnd, -kEnd));
    inside = inside && normal >= before && normal > -2 && normal < 2;
    before = normal;
  }
  EXPECT_TRUE(inside);
}

}  // namespace
}  // namespace isoshard::scalar::kernels_erf_inv_test
