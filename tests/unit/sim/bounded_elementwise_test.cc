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

}  // namespace
}  // namespace isoshard::sim::bounded_elementwise_test
