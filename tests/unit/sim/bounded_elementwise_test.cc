// Elementwise ops on numbers with error bounds, without a domain.
#include "sim/domains/floats/bounded_elementwise.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace isoshard::sim::bounded_elementwise_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(BoundedElementwise, WholeNumbersAreExactAndOtherSumsAreRounded) {
  const std::array<double, 4> x{3, 0.1, 0, 0}, y{4, 0.2, 0, 1e-3};
  std::array<double, 4> out{};
  binary_bound(BinaryOp::add, 2, x.data(), y.data(), out.data());
  EXPECT_EQ(out[0], 7);
  EXPECT_EQ(out[2], 0);
  EXPECT_GT(out[3], 1e-3);
  EXPECT_LT(out[3], 1.001e-3);
}

TEST(BoundedElementwise, ADivisorThatMayBeZeroHasNoBound) {
  const std::array<double, 4> x{1, 1, 0, 0}, y{0.5, 0.5, 0.6, 0.1};
  std::array<double, 4> out{};
  binary_bound(BinaryOp::divide, 2, x.data(), y.data(), out.data());
  EXPECT_EQ(out[2], kInf);
  EXPECT_GE(out[3], 0.5) << "1 / 0.4 is 2.5";
  EXPECT_LT(out[3], kInf);
}

/// More elements than a stretch of monotone functions has, in place.
TEST(BoundedElementwise, FunctionsHoldTheirResultsAtBothEnds) {
  constexpr int64_t kCount = 1000;
  constexpr double kError = 1e-6;
  for (const UnaryOp op : {UnaryOp::exponential, UnaryOp::tanh, UnaryOp::sine, UnaryOp::negate}) {
    std::vector<double> x(2 * kCount, kError), ends(kCount);
    for (int64_t i = 0; i < kCount; ++i) x[static_cast<size_t>(i)] = -2 + 0.004 * static_cast<double>(i);
    for (size_t i = 0; i < kCount; ++i) ends[i] = x[i] + kError;
    unary_bound(op, kCount, x.data(), x.data());
    unary(best_isa(), op, ends.data(), ends.data(), kCount);
    for (size_t i = 0; i < kCount; ++i) EXPECT_LE(std::abs(ends[i] - x[i]), x[kCount + i] * (1 + 1e-9)) << i;
  }
}

/// What plain doubles give.
double plain_result(BinaryOp op, double x, double y) {
  double result = 0;
  binary(best_isa(), op, &x, &y, &result, 1);
  return result;
}

/// Pairs of numbers among which all zeros and their signs come up, down `depth` operations.
void expect_the_zeros_of_floats(const std::vector<std::array<double, 2>>& numbers, int depth) {
  std::vector<std::array<double, 2>> results;
  for (const BinaryOp op : {BinaryOp::add, BinaryOp::subtract, BinaryOp::multiply, BinaryOp::divide}) {
    for (const auto& x : numbers) {
      for (const auto& y : numbers) {
        std::array<double, 2> out{};
        binary_bound(op, 1, x.data(), y.data(), out.data());
        const double plain = plain_result(op, x[0], y[0]);
        const bool known = out[1] == 0 && !std::signbit(out[1]);
        ASSERT_TRUE(known || !std::isfinite(plain) || plain != 0) << x[0] << " " << y[0];
        ASSERT_TRUE(!known || plain != plain || std::signbit(plain) == std::signbit(out[0])) << x[0] << " " << y[0];
        if (depth > 1 && known && std::isfinite(plain)) results.push_back(out);
      }
    }
  }
  if (depth > 1) expect_the_zeros_of_floats(results, depth - 1);
}

TEST(BoundedElementwise, ExactZerosHaveTheSignsOfFloats) {
  expect_the_zeros_of_floats({{0.0, 0.0}, {-0.0, 0.0}, {1.0, 0.0}, {-1.0, 0.0}}, 2);
}

TEST(BoundedElementwise, TheSignOfAZeroIsUnsureWhereAFactorMayHaveEither) {
  const std::array<double, 4> zero{0, 0, 0, 0}, factor{0.5, 0.5, 0.1, 0.6}, one{1, 1, 0, 0};
  std::array<double, 4> product{}, sum{}, quotient{};
  binary_bound(BinaryOp::multiply, 2, zero.data(), factor.data(), product.data());
  EXPECT_FALSE(std::signbit(product[2]));
  EXPECT_EQ(product[3], 0) << "an exact zero all the same";
  EXPECT_TRUE(std::signbit(product[3]));
  binary_bound(BinaryOp::divide, 2, one.data(), product.data(), quotient.data());
  EXPECT_EQ(quotient[2], 0) << "inf";
  EXPECT_EQ(quotient[3], kInf) << "inf or -inf";
  binary_bound(BinaryOp::add, 2, product.data(), zero.data(), sum.data());
  EXPECT_FALSE(std::signbit(sum[3])) << "+0 and any zero is +0";
}

TEST(BoundedElementwise, OddFunctionsKeepTheZeroThatTheyGet) {
  for (const UnaryOp op : {UnaryOp::sine, UnaryOp::tanh, UnaryOp::sqrt, UnaryOp::floor, UnaryOp::erf_inv, UnaryOp::erf,
                           UnaryOp::cbrt, UnaryOp::exponential_minus_one, UnaryOp::log_plus_one,
                           UnaryOp::round_nearest_even, UnaryOp::round_nearest_afz}) {
    const std::array<double, 6> x{0.0, -0.0, 0.0, 0.0, 0.0, -0.0};  // +0, -0 and either
    std::array<double, 6> out{};
    unary_bound(op, 3, x.data(), out.data());
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(out[i], 0) << i;
      EXPECT_EQ(std::signbit(x[i]), std::signbit(out[i])) << i;
    }
  }
}

}  // namespace
}  // namespace isoshard::sim::bounded_elementwise_test
