// Array loops against one element at a time, on every instruction set.
#include "sim/kernels/elementwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ir/scalar/arctangent.h"
#include "core/ir/scalar/cube_root.h"
#include "core/ir/scalar/erf.h"
#include "core/ir/scalar/erf_inv.h"
#include "core/ir/scalar/exponential.h"
#include "core/ir/scalar/log.h"
#include "core/ir/scalar/logistic.h"
#include "core/ir/scalar/near_one.h"
#include "core/ir/scalar/power.h"
#include "core/ir/scalar/roots.h"
#include "core/ir/scalar/rounding.h"
#include "core/ir/scalar/tanh.h"
#include "core/ir/scalar/trigonometric.h"
#include "tests/kernels_testing.h"

namespace isoshard::sim::kernels_elementwise_test {
namespace {

using testing_support::first_difference;
using testing_support::supported_isas;

constexpr UnaryOp kUnaryOps[] = {UnaryOp::negate,
                                 UnaryOp::exponential,
                                 UnaryOp::log,
                                 UnaryOp::tanh,
                                 UnaryOp::logistic,
                                 UnaryOp::sqrt,
                                 UnaryOp::rsqrt,
                                 UnaryOp::sine,
                                 UnaryOp::cosine,
                                 UnaryOp::erf_inv,
                                 UnaryOp::floor,
                                 UnaryOp::exponential_minus_one,
                                 UnaryOp::log_plus_one,
                                 UnaryOp::cbrt,
                                 UnaryOp::erf,
                                 UnaryOp::erfc,
                                 UnaryOp::round_nearest_even,
                                 UnaryOp::round_nearest_afz};
constexpr BinaryOp kBinaryOps[] = {BinaryOp::add,   BinaryOp::subtract,  BinaryOp::multiply, BinaryOp::divide,
                                   BinaryOp::power, BinaryOp::remainder, BinaryOp::atan2};

template <typename T>
T or_canonical(T x) {
  return std::isnan(x) ? std::numeric_limits<T>::quiet_NaN() : x;
}

template <typename T>
T one(UnaryOp op, T x) {
  switch (op) {
    case UnaryOp::negate:
      return or_canonical(-x);
    case UnaryOp::exponential:
      return scalar::exponential(x);
    case UnaryOp::log:
      return scalar::log(x);
    case UnaryOp::tanh:
      return scalar::tanh(x);
    case UnaryOp::logistic:
      return scalar::logistic(x);
    case UnaryOp::sqrt:
      return scalar::sqrt(x);
    case UnaryOp::rsqrt:
      return scalar::rsqrt(x);
    case UnaryOp::sine:
      return scalar::sine(x);
    case UnaryOp::erf_inv:
      return scalar::erf_inv(x);
    case UnaryOp::cosine:
      return scalar::cosine(x);
    case UnaryOp::floor:
      return scalar::floor(x);
    case UnaryOp::exponential_minus_one:
      return scalar::exponential_minus_one(x);
    case UnaryOp::log_plus_one:
      return scalar::log_plus_one(x);
    case UnaryOp::cbrt:
      return scalar::cbrt(x);
    case UnaryOp::erf:
      return scalar::erf(x);
    case UnaryOp::erfc:
      return scalar::erfc(x);
    case UnaryOp::round_nearest_even:
      return scalar::round_nearest_even(x);
    case UnaryOp::round_nearest_afz:
      return scalar::round_nearest_afz(x);
  }
  return T(0);
}

template <typename T>
T one(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::add:
      return or_canonical(a + b);
    case BinaryOp::subtract:
      return or_canonical(a - b);
    case BinaryOp::multiply:
      return or_canonical(a * b);
    case BinaryOp::divide:
      return or_canonical(a / b);
    case BinaryOp::power:
      return scalar::power(a, b);
    case BinaryOp::remainder:
      return scalar::remainder(a, b);
    case BinaryOp::atan2:
      return scalar::atan2(a, b);
  }
  return T(0);
}

/// Every class of number with both signs, then random bit patterns.
template <typename T>
std::vector<T> all_kinds(std::uint64_t seed) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (const T x : {T(0), T(1), T(0.3), T(20), T(100), T(700), T(744), Limits::denorm_min(), Limits::min(),
                    Limits::min() / 3, Limits::max(), Limits::infinity(), Limits::quiet_NaN(), Limits::epsilon()}) {
    values.push_back(x);
    values.push_back(-x);
  }
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<T> moderate(T(-90), T(90));
  for (int i = 0; i < 40000; ++i) {
    values.push_back(scalar::bits_as<T>(static_cast<typename scalar::Format<T>::Bits>(random())));
    values.push_back(moderate(random));
  }
  return values;
}

template <typename T>
class Elementwise : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Elementwise, Floats);

TYPED_TEST(Elementwise, UnaryEqualsTheScalarFunctionBitForBit) {
  using T = TypeParam;
  const auto x = all_kinds<T>(3);
  for (const UnaryOp op : kUnaryOps) {
    std::vector<T> expected;
    for (const T value : x) expected.push_back(one(op, value));
    for (const Isa isa : supported_isas()) {
      std::vector<T> y(x.size());
      unary(isa, op, x.data(), y.data(), static_cast<std::int64_t>(x.size()));
      const std::int64_t at = first_difference(y, expected);
      EXPECT_EQ(at, -1) << isa_name(isa) << " op " << static_cast<int>(op) << " of "
                        << static_cast<double>(x[static_cast<std::size_t>(std::max<std::int64_t>(at, 0))]);
    }
  }
}

TYPED_TEST(Elementwise, BinaryEqualsTheOperatorBitForBit) {
  using T = TypeParam;
  const auto a = all_kinds<T>(4);
  auto b = all_kinds<T>(5);
  std::rotate(b.begin(), b.begin() + 9, b.end());
  for (const BinaryOp op : kBinaryOps) {
    std::vector<T> expected;
    std::vector<T> expected_by_scalar;
    for (std::size_t i = 0; i < a.size(); ++i) {
      expected.push_back(one(op, a[i], b[i]));
      expected_by_scalar.push_back(one(op, a[i], T(0.7)));
    }
    for (const Isa isa : supported_isas()) {
      std::vector<T> y(a.size());
      binary(isa, op, a.data(), b.data(), y.data(), static_cast<std::int64_t>(a.size()));
      EXPECT_EQ(first_difference(y, expected), -1) << isa_name(isa) << " op " << static_cast<int>(op);
      binary_scalar(isa, op, a.data(), T(0.7), y.data(), static_cast<std::int64_t>(a.size()));
      EXPECT_EQ(first_difference(y, expected_by_scalar), -1) << isa_name(isa) << " op " << static_cast<int>(op);
    }
  }
}

template <typename T>
void expect_scalar_bits(Isa isa) {
  const auto x = all_kinds<T>(6);
  const auto n = static_cast<std::int64_t>(x.size());
  for (const UnaryOp op : kUnaryOps) {
    std::vector<T> by_scalar(x.size());
    std::vector<T> by_isa(x.size());
    unary(Isa::scalar, op, x.data(), by_scalar.data(), n);
    unary(isa, op, x.data(), by_isa.data(), n);
    EXPECT_EQ(first_difference(by_isa, by_scalar), -1) << "op " << static_cast<int>(op);
  }
}

TYPED_TEST(Elementwise, Avx2GivesTheScalarBits) {
  ISOSHARD_NEEDS_ISA(Isa::avx2);
  expect_scalar_bits<TypeParam>(Isa::avx2);
}

TYPED_TEST(Elementwise, Avx512GivesTheScalarBits) {
  ISOSHARD_NEEDS_ISA(Isa::avx512);
  expect_scalar_bits<TypeParam>(Isa::avx512);
}

TYPED_TEST(Elementwise, EveryLengthAndOffsetGivesTheSameBitsAndTouchesNoMore) {
  using T = TypeParam;
  const auto x = all_kinds<T>(7);
  for (const Isa isa : supported_isas()) {
    for (std::int64_t n = 0; n < 40; ++n) {
      for (std::size_t offset = 0; offset < 5; ++offset) {
        std::vector<T> y(64, T(-7));
        unary(isa, UnaryOp::tanh, x.data() + 20 + offset, y.data() + offset, n);
        for (std::size_t i = 0; i < y.size(); ++i) {
          const bool inside = i >= offset && i < offset + static_cast<std::size_t>(n);
          const T expected = inside ? scalar::tanh(x[20 + i]) : T(-7);
          ASSERT_EQ(scalar::bits_as<typename scalar::Format<T>::Bits>(y[i]),
                    scalar::bits_as<typename scalar::Format<T>::Bits>(expected));
        }
      }
    }
  }
}

TYPED_TEST(Elementwise, InPlaceAndAccumulate) {
  using T = TypeParam;
  const auto x = all_kinds<T>(8);
  const auto n = static_cast<std::int64_t>(x.size());
  for (const Isa isa : supported_isas()) {
    auto y = x;
    std::vector<T> expected(x.size());
    unary(isa, UnaryOp::logistic, x.data(), expected.data(), n);
    unary(isa, UnaryOp::logistic, y.data(), y.data(), n);
    EXPECT_EQ(first_difference(y, expected), -1);
    y = expected;
    binary(isa, BinaryOp::add, expected.data(), x.data(), expected.data(), n);
    accumulate(isa, y.data(), x.data(), n);
    EXPECT_EQ(first_difference(y, expected), -1);
    EXPECT_EQ(y[1], T(0.5));
  }
}

}  // namespace
}  // namespace isoshard::sim::kernels_elementwise_test
