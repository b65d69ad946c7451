// Arrays of another machine beside those of sim: what is equal, what rounding explains, and what nothing does.
#include "sim/run/array_difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace isoshard::sim::array_difference_test {
namespace {

using Answer = ArrayDifference::Answer;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Tensor floats(const std::vector<float>& values) {
  return Tensor::from<float>(DType::f32, {1, static_cast<int64_t>(values.size())}, values);
}

/// Bounds of two elements: 1 with an error of 0.01, 2 with that one.
ElementBounds bounds(double second) { return {{1, 2}, {0.01, second}}; }

TEST(ArrayDifference, EqualBitsNeedNoBound) {
  const ArrayDifference same = difference_of(floats({1, kNan}), floats({1, -kNan}), std::nullopt);
  EXPECT_EQ(same.answer, Answer::equal_bits);
  EXPECT_EQ(same.differing, 0);
}

TEST(ArrayDifference, OtherBitsNeedOne) {
  const ArrayDifference open = difference_of(floats({1, 2.5F}), floats({1, 2}), std::nullopt);
  EXPECT_EQ(open.answer, Answer::unbounded);
  EXPECT_EQ(open.index, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(open.absolute, 0.5);
  EXPECT_EQ(open.relative, 0.2);
  EXPECT_EQ(open.differing, 1);
  EXPECT_EQ(difference_of(floats({1, 2.5F}), floats({1, 2}), bounds(INFINITY)).answer, Answer::unbounded);
}

TEST(ArrayDifference, TheBoundIsAroundTheValueAndNotAroundSim) {
  const ArrayDifference within = difference_of(floats({1, 2.0625F}), floats({1, 1.9375F}), bounds(0.125));
  EXPECT_EQ(within.answer, Answer::within_bound);
  EXPECT_EQ(within.of_bound, 0.5);
  EXPECT_EQ(within.absolute, 0.125);
  EXPECT_EQ(within.bound, 0.125);
  EXPECT_EQ(within.largest, 2);
  const ArrayDifference beyond = difference_of(floats({1, 2.25F}), floats({1, 2.2F}), bounds(0.2));
  EXPECT_EQ(beyond.answer, Answer::differs);
  EXPECT_EQ(beyond.index, (std::vector<int64_t>{0, 1}));
}

TEST(ArrayDifference, ABoundThatIsLargeBesideTheArraySaysNothing) {
  EXPECT_EQ(difference_of(floats({1, 2.0625F}), floats({1, 2}), bounds(0.126)).answer, Answer::unbounded);
  EXPECT_EQ(difference_of(floats({1, -2}), floats({1, 2}), bounds(8)).answer, Answer::unbounded);
  EXPECT_EQ(difference_of(floats({1, -2}), floats({1, 2}), bounds(0.1)).answer, Answer::differs);
}

TEST(ArrayDifference, TheWorstElementIsTheAnswer) {
  const ElementBounds bounds{{1, 2, 3}, {0.5, INFINITY, 0.5}};
  const ArrayDifference worst = difference_of(floats({1.25F, 2.25F, 9}), floats({1, 2, 3}), bounds);
  EXPECT_EQ(worst.answer, Answer::differs);
  EXPECT_EQ(worst.index, (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(worst.differing, 3);
}

TEST(ArrayDifference, WhatIsNoNumberIsNoneOfARun) {
  EXPECT_EQ(difference_of(floats({kNan, 2}), floats({1, 2}), bounds(0)).answer, Answer::differs);
  EXPECT_EQ(difference_of(floats({kInfinity, 2}), floats({1, 2}), bounds(0)).answer, Answer::differs);
  EXPECT_EQ(difference_of(floats({kInfinity, 2}), floats({1, 2}), bounds(0)).absolute, kInfinity);
  const ElementBounds infinite{{INFINITY, 2}, {0, 0}};
  EXPECT_EQ(difference_of(floats({kInfinity, 2}), floats({3e38F, 2}), infinite).answer, Answer::within_bound);
}

TEST(ArrayDifference, SignsOfZeroAreBits) {
  EXPECT_EQ(difference_of(floats({-0.0F, 2}), floats({0, 2}), std::nullopt).answer, Answer::unbounded);
  const ElementBounds zero{{0, 2}, {0, 0}};
  EXPECT_EQ(difference_of(floats({-0.0F, 2}), floats({0, 2}), zero).answer, Answer::unbounded);
}

TEST(ArrayDifference, IntegersAreExact) {
  const Tensor ours = Tensor::from<int32_t>(DType::i32, {2}, std::vector<int32_t>{1, 3});
  const Tensor theirs = Tensor::from<int32_t>(DType::i32, {2}, std::vector<int32_t>{1, 2});
  EXPECT_EQ(difference_of(ours, theirs, std::nullopt).answer, Answer::differs);
  EXPECT_EQ(difference_of(ours, theirs, std::nullopt).index, std::vector<int64_t>{1});
}

}  // namespace
}  // namespace isoshard::sim::array_difference_test
