// The rules of the rounding bound, one by one; that they really bound is a property test.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sim/evaluate/accumulator.h"
#include "sim/evaluate/evaluate.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::domains_bounded_test {
namespace {

constexpr double kUnit = 0x1p-53;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Pair {
  double value;
  double error;
};

Value pack(const std::vector<Pair>& pairs) {
  const size_t n = pairs.size();
  std::shared_ptr<std::byte> data = allocate_aligned(n * 16);
  auto* out = reinterpret_cast<double*>(data.get());
  for (size_t i = 0; i < n; ++i) {
    out[i] = pairs[i].value;
    out[n + i] = pairs[i].error;
  }
  return {TensorType{DType::f32, {static_cast<int64_t>(n)}}, bounded_domain().storage(DType::f32), data};
}

Pair first(const Value& x) { return {x.plane<double>(0)[0], x.plane<double>(1)[0]}; }

Pair apply(const OpData& op, Pair x, Pair y) {
  const std::vector<Value> operands = {pack({x}), pack({y})};
  return first(evaluate(op, operands, operands[0].type, bounded_domain()));
}

Pair apply(const OpData& op, Pair x) {
  const std::vector<Value> operands = {pack({x})};
  return first(evaluate(op, operands, operands[0].type, bounded_domain()));
}

/// The bound, give or take what outweighs the rounding of its own formula.
void expect_bound(double actual, double expected) {
  EXPECT_GE(actual, expected);
  EXPECT_LE(actual, expected * (1 + 1e-14));
}

TEST(Bounded, SumsAddBoundsAndTheirOwnRounding) {
  const Pair sum = apply(Add{}, {1, 1e-10}, {0.25, 2e-10});
  EXPECT_EQ(sum.value, 1.25);
  expect_bound(sum.error, 3e-10 + 1.25 * kUnit);
  const Pair difference = apply(Subtract{}, {1, 1e-10}, {0.25, 2e-10});
  EXPECT_EQ(difference.value, 0.75);
  expect_bound(difference.error, 3e-10 + 0.75 * kUnit);
}

TEST(Bounded, AddingExactZeroAddsNothing) {
  EXPECT_EQ(apply(Add{}, {0.1, 0}, {0, 0}).error, 0);
  EXPECT_EQ(apply(Subtract{}, {0, 0}, {0.1, 1e-9}).error, 1e-9);
  expect_bound(apply(Add{}, {0.1, 0}, {0, 1e-9}).error, 1e-9);  // no rounding, but a bound
}

/// x == x wherever x is a number: the bound of what divides by the answer stays finite.
TEST(Bounded, AValueEqualsItself) {
  const auto quotient = [](const Value& x, const Value& y) {
    const TensorType pred{DType::pred, {1}};
    const Value same = evaluate(Compare{Direction::eq}, std::vector{x, y}, pred, bounded_domain());
    const Value number = evaluate(Convert{DType::f32}, std::vector{same}, x.type, bounded_domain());
    return first(number);
  };
  const Value x = pack({{0.5, 1e-9}}), y = pack({{0.5, 1e-9}});
  EXPECT_EQ(quotient(x, x).value, 1);
  EXPECT_EQ(quotient(x, x).error, 0);
  EXPECT_GT(quotient(x, y).error, 0);  // another value, which may differ
  const Value unbounded = pack({{0.5, std::numeric_limits<double>::infinity()}});
  EXPECT_GT(quotient(unbounded, unbounded).error, 0);  // it may be nan
}

/// Up to 2^53.
TEST(Bounded, WholeNumbersAreExact) {
  EXPECT_EQ(apply(Add{}, {3, 0}, {-5, 0}).error, 0);
  EXPECT_EQ(apply(Multiply{}, {3, 0}, {1 << 20, 0}).error, 0);
  EXPECT_EQ(apply(Divide{}, {-12, 0}, {4, 0}).error, 0);
  EXPECT_GT(apply(Divide{}, {-12, 0}, {5, 0}).error, 0);
  EXPECT_GT(apply(Add{}, {3, 0}, {0.1, 0}).error, 0);
  EXPECT_GT(apply(Add{}, {3, 1e-9}, {2, 0}).error, 0);
  EXPECT_GT(apply(Add{}, {0x1p53, 0}, {3, 0}).error, 0);
  EXPECT_GT(apply(Multiply{}, {0x1p30, 0}, {0x1p30 + 1, 0}).error, 0);
  const auto sum_of = [](const std::vector<Pair>& terms) {
    const std::vector<Value> operands = {pack(terms)};
    return first(evaluate(Reduce{Reducer::add, {0}, {}}, operands, TensorType{DType::f32, {}}, bounded_domain()));
  };
  EXPECT_EQ(sum_of({{1, 0}, {2, 0}, {-7, 0}}).error, 0);
  EXPECT_GT(sum_of({{1, 0}, {2.5, 0}, {0.3, 0}}).error, 0);
  EXPECT_GT(sum_of({{1, 0}, {0x1p53, 0}, {3, 0}}).error, 0);
  const auto dot_of = [](const std::vector<Pair>& a, const std::vector<Pair>& b) {
    const std::vector<Value> operands = {pack(a), pack(b)};
    const DotGeneral dot{DimPairs{{0}, {0}}, {}};
    return first(evaluate(dot, operands, TensorType{DType::f32, {}}, bounded_domain()));
  };
  EXPECT_EQ(dot_of({{1, 0}, {2, 0}}, {{3, 0}, {-4, 0}}).error, 0);
  EXPECT_GT(dot_of({{1, 0}, {2, 0}}, {{3, 0}, {0.1, 0}}).error, 0);
  EXPECT_GT(dot_of({{1, 0}, {2, 0}}, {{3, 0}, {4, 1e-3}}).error, 0);
  EXPECT_GT(dot_of({{0x1p30, 0}, {2, 0}}, {{0x1p30, 0}, {3, 0}}).error, 0);
  Accumulator whole(pack({{1, 0}})), rounded(pack({{1, 0}}));
  whole.add(pack({{2, 0}}), bounded_domain());
  rounded.add(pack({{0.1, 0}}), bounded_domain());
  EXPECT_EQ(first(whole.take()).error, 0);
  EXPECT_GT(first(rounded.take()).error, 0);
}

TEST(Bounded, ProductsSpreadBothBounds) {
  const Pair product = apply(Multiply{}, {-2, 1e-10}, {3, 1e-8});
  EXPECT_EQ(product.value, -6);
  expect_bound(product.error, 2e-8 + 3e-10 + 1e-18 + 6 * kUnit);
}

TEST(Bounded, AnExactZeroMakesAProductAnExactZero) {
  for (const Pair other : {Pair{3, 1}, Pair{3, 1e300}}) {
    const Pair product = apply(Multiply{}, {0, 0}, other);
    EXPECT_EQ(product.value, 0);
    EXPECT_EQ(product.error, 0);
  }
  EXPECT_EQ(apply(Multiply{}, {0, 1e-9}, {3, kInfinity}).error, kInfinity);
}

TEST(Bounded, AnExactZeroTimesWhatMayBeAPoleHasNoBound) {
  for (const double value : {3.0, kInfinity, std::nan("")}) {
    EXPECT_EQ(apply(Multiply{}, {0, 0}, {value, kInfinity}).error, kInfinity);
    EXPECT_EQ(apply(Multiply{}, {value, kInfinity}, {0, 0}).error, kInfinity);
  }
}

TEST(Bounded, PowersOfAnExactZeroArePolesAndZerosOfKnownSign) {
  const Pair inverse = apply(Power{}, {-0.0, 0}, {-1, 0}), square = apply(Power{}, {-0.0, 0}, {-2, 0});
  EXPECT_EQ(inverse.value, -kInfinity);
  EXPECT_EQ(inverse.error, 0);
  EXPECT_EQ(square.value, kInfinity);
  EXPECT_EQ(square.error, 0);
  EXPECT_EQ(apply(Power{}, {0, 0}, {-0.5, 0}).error, 0);
  EXPECT_EQ(apply(Power{}, {0, -0.0}, {-1, 0}).error, kInfinity) << "either infinity";
  EXPECT_EQ(apply(Power{}, {0, 0}, {0, 0}).value, 1);
  EXPECT_EQ(apply(Power{}, {0, 1e-9}, {-1, 0}).error, kInfinity) << "a pole or not";
}

TEST(Bounded, PowersOfWhatIsNegativeAreNoNumbersButForWholeExponents) {
  const Pair root = apply(Power{}, {-2, 1e-9}, {0.5, 0});
  EXPECT_TRUE(std::isnan(root.value));
  EXPECT_EQ(root.error, 0);
  EXPECT_EQ(apply(Power{}, {1e-9, 1e-8}, {0.5, 0}).error, kInfinity) << "a number or not";
  EXPECT_EQ(apply(Power{}, {-2, 0}, {3, 0}).value, -8);
}

TEST(Bounded, QuotientsNeedADenominatorAwayFromZero) {
  const Pair quotient = apply(Divide{}, {6, 1e-10}, {-2, 1e-8});
  EXPECT_EQ(quotient.value, -3);
  expect_bound(quotient.error, (1e-10 + 3e-8) / (2 - 1e-8) + 3 * kUnit);
  EXPECT_EQ(apply(Divide{}, {6, 0}, {1e-9, 1e-8}).error, kInfinity);
  EXPECT_EQ(apply(Divide{}, {0, 1e-9}, {0, 0}).error, kInfinity) << "nan or infinite";
  EXPECT_EQ(apply(Divide{}, {0, 0}, {2, 1e-3}).error, 0);
}

TEST(Bounded, MonotoneFunctionsAreEvaluatedAtBothEnds) {
  const double e3 = std::exp(3.0);
  const Pair exact = apply(Exponential{}, {3, 0});
  expect_bound(exact.error, 4 * kUnit * exact.value);
  const Pair wide = apply(Exponential{}, {3, 1});
  EXPECT_GE(wide.error, std::exp(4.0) - e3);
  EXPECT_LE(wide.error, (std::exp(4.0) - e3) * (1 + 1e-14));
  const Pair narrow = apply(Tanh{}, {0.5, 1e-6});
  EXPECT_NEAR(narrow.error, 1e-6 / (std::cosh(0.5) * std::cosh(0.5)), 1e-11);
  EXPECT_EQ(apply(Tanh{}, {0, 0}).error, 0);
  EXPECT_GE(apply(Logistic{}, {0, 1e-6}).error, 0.25e-6 - 1e-15);
}

/// erf_inv(erf(y)) moves by no more than the argument's bound times the slope sqrt(pi)/2 e^(y^2) there.
TEST(Bounded, TheInverseErrorFunctionIsBoundedInside) {
  for (const double y : {-2.5, -0.3, 0.01, 1.0, 3.0}) {
    const double x = std::erf(y), slope = 0.886226925452758 * std::exp(y * y);
    const Pair inverse = apply(ErfInv{}, {x, 1e-9});
    EXPECT_NEAR(inverse.value, y, 1e-12 + 1e-15 * slope);
    EXPECT_GE(inverse.error, 0.9e-9 * slope);
    EXPECT_LE(inverse.error, 1.2e-9 * slope + 1e-12);
    EXPECT_LE(apply(ErfInv{}, {x, 0}).error, 1e-14);
  }
  EXPECT_EQ(apply(ErfInv{}, {0, 0}).error, 0);
  for (const Pair x : {Pair{1, 0}, Pair{-1, 0}, Pair{0.9, 0.1}, Pair{-0.9, 0.2}, Pair{2, 0}}) {
    EXPECT_EQ(apply(ErfInv{}, x).error, kInfinity) << x.value;
  }
}

TEST(Bounded, FunctionsForTheLastDigitsAreBounded) {
  for (const double x : {-0.9, -0.3, 0.01, 1.0, 3.0}) {
    const Pair erf = apply(Erf{}, {x, 1e-6}), erfc = apply(Erfc{}, {x, 1e-6});
    const double slope = 1.1283791670955126 * std::exp(-x * x);
    EXPECT_NEAR(erf.error, 1e-6 * slope, 1e-11);
    EXPECT_NEAR(erfc.error, 1e-6 * slope, 1e-11);
    EXPECT_NEAR(apply(ExponentialMinusOne{}, {x, 1e-6}).error, 1e-6 * std::exp(x), 1e-10);
    EXPECT_NEAR(apply(LogPlusOne{}, {x, 1e-6}).error, 1e-6 / (1 + x), 1e-9);
    EXPECT_GE(apply(Cbrt{}, {x, 1e-6}).error, 1e-6 / (3 * std::cbrt(x * x)) * 0.99);
  }
  EXPECT_EQ(apply(LogPlusOne{}, {-0.9, 0.2}).error, kInfinity);
  EXPECT_EQ(apply(LogPlusOne{}, {-1, 0}).value, -kInfinity);
  EXPECT_EQ(apply(Erfc{}, {kInfinity, 0}).value, 0);
  EXPECT_GE(apply(Cbrt{}, {0, 1e-9}).error, 0.99e-3);
}

TEST(Bounded, AnAngleJumpsBehindTheOrigin) {
  const Pair angle = apply(Atan2{}, {3, 1e-6}, {4, 1e-6});
  EXPECT_NEAR(angle.value, std::atan2(3, 4), 1e-15);
  EXPECT_GE(angle.error, 1e-6 * 7 / 25.0);
  EXPECT_LE(angle.error, 1e-6);
  EXPECT_EQ(apply(Atan2{}, {0.1, 0.2}, {-4, 0}).error, kInfinity);
  EXPECT_EQ(apply(Atan2{}, {0.1, 0.2}, {0.1, 0.2}).error, kInfinity);
  EXPECT_LE(apply(Atan2{}, {0.1, 0.2}, {4, 0}).error, 0.06);
  EXPECT_EQ(apply(Atan2{}, {0, 0}, {4, 0}).error, 0);
}

TEST(Bounded, RoundingsAreExactBetweenTheirJumps) {
  for (const OpData& op : {OpData(RoundNearestEven{}), OpData(RoundNearestAfz{})}) {
    EXPECT_EQ(apply(op, {2.3, 0.1}).value, 2);
    EXPECT_EQ(apply(op, {2.3, 0.1}).error, 0);
    EXPECT_EQ(apply(op, {2.3, 0.3}).error, kInfinity);
    EXPECT_EQ(apply(op, {0.2, 0.1}).error, 0);
    EXPECT_FALSE(std::signbit(apply(op, {0.2, 0.1}).error));
    EXPECT_TRUE(std::signbit(apply(op, {0.1, 0.2}).error)) << "either zero";
  }
  EXPECT_EQ(apply(RoundNearestEven{}, {2.5, 0}).value, 2);
  EXPECT_EQ(apply(RoundNearestAfz{}, {2.5, 0}).value, 3);
}

TEST(Bounded, WhatIsNotFiniteHasNoBound) {
  EXPECT_EQ(apply(Exponential{}, {800, 0}).error, kInfinity);
  EXPECT_EQ(apply(Exponential{}, {700, 20}).error, kInfinity);
  EXPECT_EQ(apply(Add{}, {kInfinity, kInfinity}, {1, 0}).error, kInfinity);
  EXPECT_EQ(apply(Multiply{}, {1e300, 0}, {1e300, 0}).error, kInfinity);
  EXPECT_EQ(apply(Tanh{}, {1, kInfinity}).error, kInfinity);
  EXPECT_EQ(apply(Negate{}, {1, kInfinity}).error, kInfinity);
  const Value infinite = from_doubles(TensorType{DType::f32, {1}}, std::vector<double>{-kInfinity}, bounded_domain());
  EXPECT_EQ(first(infinite).error, kInfinity);
}

/// It stands in programs as a mask; an infinite result of an overflow is something else.
TEST(Bounded, TheConstantMinusInfinityIsExact) {
  const Pair low = first(splat(TensorType{DType::f32, {}}, Rational::infinity(true), bounded_domain()));
  EXPECT_EQ(low.value, -kInfinity);
  EXPECT_EQ(low.error, 0);
  EXPECT_EQ(apply(Exponential{}, low).value, 0);
  EXPECT_EQ(apply(Exponential{}, low).error, 0);
  for (const Pair x : {Pair{3, 0.5}, Pair{0, 0}, Pair{-1e300, 0}}) {
    EXPECT_EQ(apply(Add{}, low, x).error, 0);
    EXPECT_EQ(apply(Add{}, x, low).value, -kInfinity);
    EXPECT_EQ(apply(Subtract{}, low, x).error, 0);
    EXPECT_EQ(apply(Subtract{}, x, low).value, kInfinity);
    EXPECT_EQ(apply(Maximum{}, low, x).value, x.value);
    EXPECT_EQ(apply(Maximum{}, x, low).error, x.error);
  }
  EXPECT_EQ(apply(Add{}, low, low).error, 0);
  EXPECT_EQ(apply(Add{}, low, {3, kInfinity}).error, kInfinity);
  EXPECT_EQ(apply(Negate{}, low).value, kInfinity);
  EXPECT_EQ(apply(Multiply{}, low, {2, 0.5}).error, 0);
  EXPECT_EQ(apply(Divide{}, low, {2, 0.5}).error, 0);
  EXPECT_EQ(apply(Multiply{}, low, {2, 3}).error, kInfinity) << "of which sign?";
  EXPECT_EQ(apply(Multiply{}, low, {-2, 0}).value, kInfinity);
  EXPECT_EQ(apply(Tanh{}, low).value, -1);
}

/// Where the formula itself has no finite value there is no error; where it may have one, there is no bound.
TEST(Bounded, WhatIsExactlyUndefinedHasNoError) {
  const Pair nan = apply(Divide{}, {0, 0}, {0, 0}), infinite = apply(Divide{}, {6, 0}, {0, 0}), low{-kInfinity, 0};
  const auto undefined = [](const Pair& x) { return std::isnan(x.value) && x.error == 0; };
  EXPECT_TRUE(undefined(nan));
  EXPECT_EQ(infinite.value, kInfinity);
  EXPECT_EQ(infinite.error, 0);
  for (const Pair& x : {Pair{2, 0.5}, Pair{0, 0}, Pair{3, kInfinity}, low, nan}) {
    EXPECT_TRUE(undefined(apply(Add{}, nan, x)));
    EXPECT_TRUE(undefined(apply(Multiply{}, x, nan)));
    EXPECT_TRUE(undefined(apply(Divide{}, x, nan)));
    EXPECT_TRUE(undefined(apply(Maximum{}, nan, x)));
  }
  EXPECT_TRUE(undefined(apply(Subtract{}, low, low)));
  EXPECT_TRUE(undefined(apply(Multiply{}, low, {0, 0})));
  EXPECT_TRUE(undefined(apply(Divide{}, low, infinite)));
  EXPECT_TRUE(undefined(apply(Exponential{}, nan)));
  for (const Pair& x : {Pair{-2, 0.5}, low}) {
    EXPECT_TRUE(undefined(apply(Log{}, x)));
    EXPECT_TRUE(undefined(apply(Sqrt{}, x)));
  }
  EXPECT_EQ(apply(Log{}, {0, 0}).value, -kInfinity);
  EXPECT_EQ(apply(Log{}, {0, 0}).error, 0);
  EXPECT_EQ(apply(Log{}, {-2, 3}).error, kInfinity) << "of a positive number, perhaps";
  EXPECT_EQ(apply(Exponential{}, {1000, 0}).error, kInfinity) << "an overflow";
  EXPECT_EQ(apply(Divide{}, {1, 0}, infinite).value, 0);
  EXPECT_EQ(apply(DotGeneral{}, {0, 0}, low).error, kInfinity) << "nan";
  EXPECT_EQ(apply(DotGeneral{}, {0, 0}, {3, kInfinity}).error, kInfinity) << "perhaps a pole";
  EXPECT_EQ(apply(DotGeneral{}, {0, 0}, {3, 1e300}).error, 0);
}

TEST(Bounded, ConstantsThatAreNoDoublesHaveABound) {
  const TensorType scalar{DType::f32, {}};
  EXPECT_EQ(first(splat(scalar, Rational(3, 4), bounded_domain())).error, 0);
  const Pair third = first(splat(scalar, Rational(1, 3), bounded_domain()));
  EXPECT_EQ(third.value, 1.0 / 3);
  EXPECT_GT(third.error, 0);
  EXPECT_LT(third.error, 1e-15);
  for (const bool negative : {false, true}) {
    EXPECT_EQ(first(splat(scalar, Rational::infinity(negative), bounded_domain())).error, 0) << "as written";
  }
}

TEST(Bounded, DotsAndSumsCarryTheBoundsOfTheKernels) {
  const Value a = pack({{1, 1e-10}, {2, 0}});
  const Value b = pack({{3, 0}, {4, 1e-9}});
  const DotGeneral dot{DimPairs{{0}, {0}}, {}};
  const Pair product = first(evaluate(dot, std::vector{a, b}, TensorType{DType::f32, {}}, bounded_domain()));
  EXPECT_EQ(product.value, 11);
  EXPECT_GE(product.error, 3e-10 + 2e-9);
  EXPECT_LE(product.error, (3e-10 + 2e-9) * (1 + 1e-5));
  const Reduce reduce{Reducer::add, {0}, {}};
  const Pair sum = first(evaluate(reduce, std::vector{b}, TensorType{DType::f32, {}}, bounded_domain()));
  EXPECT_EQ(sum.value, 7);
  EXPECT_NEAR(sum.error, 1e-9, 1e-14);
  Accumulator total(b);
  total.add(a, bounded_domain());
  const Value added = total.take();
  EXPECT_EQ(added.plane<double>(0)[1], 6);
  EXPECT_NEAR(added.plane<double>(1)[1], 1e-9, 1e-14);
}

}  // namespace
}  // namespace isoshard::sim::domains_bounded_test
