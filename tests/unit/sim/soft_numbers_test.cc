// Real numbers made of constants and integers: where they are exact, where they lie, what they are rounded to.
#include "sim/domains/soft/tables/soft_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace isoshard::sim::soft_numbers_test {
namespace {

RealNumber fraction(long n, unsigned long d) { return RealNumber::exactly(mpq_class(n, d)); }

TEST(RealNumber, RationalsStayExact) {
  EXPECT_EQ(applied_to(BinaryOp::divide, fraction(63, 1), fraction(16, 1))->exact(), mpq_class(63, 16));
  EXPECT_EQ(applied_to(BinaryOp::multiply, fraction(1, 3), fraction(3, 1))->exact(), mpq_class(1));
  EXPECT_EQ(applied_to(BinaryOp::power, fraction(-2, 3), fraction(-3, 1))->exact(), mpq_class(-27, 8));
  EXPECT_EQ(applied_to(BinaryOp::remainder, fraction(-7, 2), fraction(2, 1))->exact(), mpq_class(-3, 2));
  EXPECT_EQ(applied_to(UnaryOp::sqrt, fraction(9, 4))->exact(), mpq_class(3, 2));
  EXPECT_EQ(applied_to(UnaryOp::log, fraction(1, 1))->exact(), mpq_class(0));
  EXPECT_FALSE(applied_to(UnaryOp::sqrt, fraction(2, 1))->exact());
  EXPECT_FALSE(applied_to(BinaryOp::divide, fraction(1, 1), fraction(0, 1)));
  EXPECT_FALSE(applied_to(UnaryOp::log, fraction(-1, 1)));
}

/// Against numbers with more digits than a double has.
TEST(RealNumber, IntervalsHoldTheValue) {
  const auto holds = [](const std::optional<RealNumber>& x, long double value) {
    ASSERT_TRUE(x);
    EXPECT_LE(x->low(), value);
    EXPECT_GE(x->high(), value);
    EXPECT_LT(x->high() - x->low(), 1e-12L * (1 + std::fabs(value)));
  };
  for (int n = -40; n <= 40; ++n) {
    const long double x = n / 7.0L;
    const RealNumber real = fraction(n, 7);
    holds(applied_to(UnaryOp::exponential, real), std::exp(x));
    holds(applied_to(UnaryOp::tanh, real), std::tanh(x));
    holds(applied_to(UnaryOp::logistic, real), 1 / (1 + std::exp(-x)));
    if (n <= 0) continue;
    holds(applied_to(UnaryOp::log, real), std::log(x));
    holds(applied_to(UnaryOp::sqrt, real), std::sqrt(x));
    holds(applied_to(UnaryOp::rsqrt, real), 1 / std::sqrt(x));
    holds(applied_to(BinaryOp::power, real, fraction(1, 3)), std::pow(x, 1 / 3.0L));
    const RealNumber log = *applied_to(UnaryOp::log, real), root = *applied_to(UnaryOp::sqrt, real);
    holds(applied_to(BinaryOp::multiply, log, root), std::log(x) * std::sqrt(x));
    holds(applied_to(BinaryOp::subtract, log, root), std::log(x) - std::sqrt(x));
    holds(applied_to(BinaryOp::divide, log, root), std::log(x) / std::sqrt(x));
  }
}

TEST(RealNumber, WhatStraddlesIsNotDecided) {
  const RealNumber nine = *applied_to(UnaryOp::log, fraction(9, 1)), three = *applied_to(UnaryOp::log, fraction(3, 1));
  const RealNumber two = *applied_to(BinaryOp::divide, nine, three);
  EXPECT_EQ(floors(two)->low, 1);
  EXPECT_EQ(floors(two)->high, 2);
  EXPECT_FALSE(order(two, fraction(2, 1)));
  EXPECT_FALSE(applied_to(UnaryOp::floor, two));
  EXPECT_EQ(order(two, fraction(1999, 1000)), 1);
  EXPECT_EQ(order(fraction(1, 3), fraction(1, 3)), 0);
  EXPECT_EQ(floors(fraction(-1, 2))->high, -1);
  EXPECT_EQ(truncations(fraction(-1, 2), DType::f32)->high, 0);
}

struct Numbers {
  SoftIntegers integers{std::vector(2, PrimeField(2147483647)), 3};
  SoftNumbers numbers{integers};

  SoftIntegers::Word input(uint64_t index, const std::vector<int64_t>& values) {
    return integers.variable(integers.name(7, std::array{index}), values);
  }
  SoftNumbers::Id whole(int64_t x) { return numbers.number(RealNumber::whole(x)); }
};

TEST(SoftNumbers, AreRoundedEntryByEntry) {
  Numbers n;
  std::vector<int64_t> all;
  for (int64_t i = -40; i < 40; ++i) all.push_back(i);
  const auto word = n.input(0, all);
  const SoftNumbers::Id x = n.numbers.apply(BinaryOp::divide, n.numbers.of_integer(word), n.whole(16));
  const auto entries = [&](std::optional<SoftIntegers::Word> w) {
    return n.integers.numbers(*w, n.integers.partition_of(word).value());
  };
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(entries(n.numbers.floor(x))[i], static_cast<int64_t>(std::floor(static_cast<double>(all[i]) / 16)));
    EXPECT_EQ(entries(n.numbers.truncated(DType::f32, x, DType::i32))[i], all[i] / 16);
    EXPECT_EQ(entries(n.numbers.truncated(DType::f32, x, DType::u32))[i], std::max<int64_t>(all[i] / 16, 0));
    EXPECT_EQ(entries(n.numbers.compare(Direction::ge, x, n.whole(1)))[i], all[i] >= 16);
    EXPECT_EQ(entries(n.numbers.compare(Direction::eq, x, n.whole(1)))[i], all[i] == 16);
  }
}

TEST(SoftNumbers, OfTwoIntegersHaveJointTables) {
  Numbers n;
  const auto a = n.input(0, {1, 2, 3}), b = n.input(1, {4, 5});
  const SoftNumbers::Id sum = n.numbers.apply(BinaryOp::add, n.numbers.of_integer(a), n.numbers.of_integer(b));
  EXPECT_EQ(n.numbers.floor(sum), n.integers.apply(IntegerOp::add, DType::i32, a, b));
  const auto less = n.integers.compare(Direction::lt, DType::i32, a, n.integers.number(3));
  const SoftNumbers::Id chosen = n.numbers.choose(less, sum, n.whole(0));
  EXPECT_EQ(n.numbers.floor(chosen),
            n.integers.choose(less, DType::i32, n.integers.apply(IntegerOp::add, DType::i32, a, b), 0));
}

/// Equal intervals are not equal numbers.
TEST(SoftNumbers, IntervalsAreNotComparedByTheirEnds) {
  Numbers n;
  const SoftNumbers::Id root = n.numbers.apply(UnaryOp::sqrt, n.whole(2));
  EXPECT_FALSE(n.numbers.compare(Direction::ge, root, root));
  EXPECT_FALSE(n.numbers.exact(root));
  EXPECT_EQ(n.numbers.compare(Direction::gt, root, n.whole(1)), n.integers.number(1));
  EXPECT_EQ(n.numbers.truncations(DType::f32, root, DType::i32), std::vector<int64_t>{1});
}

TEST(SoftNumbers, OfWhichNothingIsKnownStayUnknown) {
  Numbers n;
  const SoftNumbers::Id opaque = n.numbers.of_integer(n.integers.opaque(n.integers.name(7, {})));
  EXPECT_EQ(opaque, 0U);
  EXPECT_EQ(n.numbers.apply(BinaryOp::add, opaque, n.whole(1)), 0U);
  EXPECT_EQ(n.numbers.apply(UnaryOp::sine, n.whole(1)), 0U);
  EXPECT_EQ(n.numbers.apply(BinaryOp::divide, n.whole(1), n.numbers.of_integer(n.input(0, {0, 1}))), 0U);
  EXPECT_FALSE(n.numbers.floor(0));
}

}  // namespace
}  // namespace isoshard::sim::soft_numbers_test
