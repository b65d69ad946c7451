// Rung E: exp, logarithms as pairs, masks, exact numbers, order.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sim/domains/tower/tower_domain.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluate.h"
#include "sim/value/new_value.h"

namespace isoshard::sim::domains_tower_ring_test {
namespace {

/// Scalars (vectors of kTrials independent ones) of a ring, with the ops that the laws are about.
class TowerRing : public ::testing::Test {
 protected:
  static constexpr int64_t kTrials = 200;

  void use(size_t lanes, TowerDomain::Options options = {}) {
    ring_ = std::make_unique<TowerDomain>(lanes, 11, options);
  }
  void SetUp() override { use(2); }

  Value draw() {
    NewValue result(type_, ring_->storage(DType::f32));
    ring_->random(
        kTrials, [&](size_t, uint64_t) { return random_(); }, result.data.get());
    return std::move(result).finish();
  }
  Value num(const char* text) const { return splat(type_, *Rational::parse(text), *ring_); }
  Value op(const OpData& data, std::vector<Value> x, DType dtype = DType::f32) const {
    return evaluate(data, x, TensorType{dtype, {kTrials}}, *ring_);
  }
  Value exp(const Value& x) const { return op(Exponential{}, {x}); }
  Value log(const Value& x) const { return op(Log{}, {x}); }
  Value add(const Value& x, const Value& y) const { return op(Add{}, {x, y}); }
  Value sub(const Value& x, const Value& y) const { return op(Subtract{}, {x, y}); }
  Value mul(const Value& x, const Value& y) const { return op(Multiply{}, {x, y}); }
  Value div(const Value& x, const Value& y) const { return op(Divide{}, {x, y}); }
  Value max(const Value& x, const Value& y) const { return op(Maximum{}, {x, y}); }
  Value compare(Direction d, const Value& x, const Value& y) const {
    Compare c;
    c.direction = d;
    return op(c, {x, y}, DType::pred);
  }
  Value select(const Value& p, const Value& x, const Value& y) const { return op(Select{}, {p, x, y}); }
  Value bits(bool value) const {
    NewValue result(TensorType{DType::pred, {kTrials}}, ring_->storage(DType::pred));
    const std::vector<uint8_t> bytes(kTrials, value ? 1 : 0);
    ring_->from_native(kTrials, bytes.data(), result.data.get());
    return std::move(result).finish();
  }
  /// In how many of the trials x and y are the same number.
  int64_t agree(Value x, Value y) const {
    Value* const both[] = {&x, &y};
    ring_->make_comparable(both);
    int64_t count = 0;
    for (size_t i = 0; i < kTrials; ++i) {
      bool same = true;
      for (size_t p = 0; p < x.storage.planes; ++p) same &= x.plane<uint64_t>(p)[i] == y.plane<uint64_t>(p)[i];
      count += same ? 1 : 0;
    }
    return count;
  }
  void expect_equal(const Value& x, const Value& y) const {
    EXPECT_EQ(agree(x, y), kTrials);
    EXPECT_EQ(ring_->undecided(), "");
  }

  std::unique_ptr<TowerDomain> ring_;
  TensorType type_{DType::f32, {kTrials}};
  std::mt19937_64 random_{5};
};

TEST_F(TowerRing, ExponentialsOfSumsAreProducts) {
  const Value x = draw(), y = draw();
  expect_equal(exp(add(x, y)), mul(exp(x), exp(y)));
  expect_equal(div(exp(x), exp(y)), exp(sub(x, y)));
  expect_equal(exp(num("0")), num("1"));
  EXPECT_EQ(agree(exp(add(x, y)), add(exp(x), exp(y))), 0);
  EXPECT_EQ(agree(exp(x), exp(y)), 0);
}

TEST_F(TowerRing, LogarithmsAndExponentialsAreInverse) {
  const Value x = draw(), u = draw();
  expect_equal(log(exp(x)), x);
  expect_equal(exp(log(u)), u);
  expect_equal(exp(log(exp(x))), exp(x));
  expect_equal(log(num("1")), num("0"));
  EXPECT_EQ(agree(log(u), u), 0);
}

TEST_F(TowerRing, SumsAndMultiplesOfLogarithms) {
  const Value u = draw(), v = draw(), a = draw();
  expect_equal(add(log(u), log(v)), log(mul(u, v)));
  expect_equal(sub(log(u), log(v)), log(div(u, v)));
  expect_equal(exp(add(a, log(u))), mul(exp(a), u));
  expect_equal(mul(num("2"), log(u)), log(mul(u, u)));
  expect_equal(mul(num("1/2"), log(mul(u, u))), log(u));  // at the common q
  expect_equal(add(div(log(u), num("2")), div(log(v), num("3"))),
               div(add(mul(num("3"), log(u)), mul(log(v), num("2"))), num("6")));
  expect_equal(sub(log(u), log(u)), num("0"));
  expect_equal(mul(num("0"), log(u)), num("0"));
  EXPECT_EQ(agree(mul(num("2"), log(u)), log(u)), 0);
  EXPECT_EQ(agree(div(log(u), num("2")), div(log(u), num("3"))), 0);
  EXPECT_GE(ring_->most_factors(), 5u);
}

TEST_F(TowerRing, OtherFunctionsSeeALogarithmByItsExponential) {
  const Value u = draw(), v = draw(), w = draw();
  const Value left = add(log(u), log(v)), right = log(mul(u, v));
  expect_equal(op(Sqrt{}, {left}), op(Sqrt{}, {right}));
  expect_equal(mul(left, w), mul(right, w));
  expect_equal(div(w, left), div(w, right));
  EXPECT_EQ(agree(mul(left, w), mul(log(u), w)), 0);
  expect_equal(op(Tanh{}, {left}), op(Tanh{}, {right}));
}

TEST_F(TowerRing, SinusoidsAreOpaqueUnlessAskedFor) {
  const Value x = draw();
  const auto squared = [&](const OpData& f) { return mul(op(f, {x}), op(f, {x})); };
  EXPECT_EQ(agree(add(squared(Sine{}), squared(Cosine{})), num("1")), 0);
  expect_equal(op(Sine{}, {sub(num("0"), x)}), sub(num("0"), op(Sine{}, {x})));
}

TEST_F(TowerRing, WhatIsOneByItsSquaresIsTheNumberOne) {
  use(2, TowerDomain::Options{{}, 3, PrimeSize::split, {}, true});
  const Value x = draw(), y = draw();
  const auto squared = [&](const OpData& f) { return mul(op(f, {x}), op(f, {x})); };
  const Value one = add(squared(Sine{}), squared(Cosine{})), zero = sub(one, num("1"));
  const Value exact = op(Convert{DType::i32}, {one}, DType::i32);
  EXPECT_EQ(std::count(exact.plane<int32_t>(0).begin(), exact.plane<int32_t>(0).end(), 1), kTrials);
  expect_equal(op(Sqrt{}, {op(Abs{}, {zero})}), num("0"));
  expect_equal(log(add(zero, num("1/1000"))), log(num("1/1000")));
  expect_equal(op(Sign{}, {one}), num("1"));
  expect_equal(select(compare(Direction::gt, one, num("0")), x, y), x);
  expect_equal(op(Floor{}, {add(one, num("3/2"))}), num("2"));
  EXPECT_EQ(agree(op(Floor{}, {squared(Sine{})}), num("0")), 0);
  op(Convert{DType::i32}, {squared(Sine{})}, DType::i32);
  EXPECT_EQ(ring_->undecided(), "an integer from a float that depends on the inputs");
}

TEST_F(TowerRing, SinusoidsOfNumbersAndLogarithms) {
  use(2, TowerDomain::Options{{}, 3, PrimeSize::split, {}, true});
  expect_equal(op(Sine{}, {num("0")}), num("0"));
  expect_equal(op(Cosine{}, {num("0")}), num("1"));
  const Value u = draw(), v = draw();
  expect_equal(op(Sine{}, {add(log(u), log(v))}), op(Sine{}, {log(mul(u, v))}));
  const Value three = num("3"), s = op(Sine{}, {num("1")});  // sin 3a = 3 sin a - 4 (sin a)^3
  expect_equal(op(Sine{}, {three}), sub(mul(three, s), mul(num("4"), mul(s, mul(s, s)))));
}

TEST_F(TowerRing, SoftmaxDoesNotSeeItsShift) {
  const Value x = draw(), y = draw(), m = max(x, y);
  const Value shifted = div(exp(sub(x, m)), add(exp(sub(x, m)), exp(sub(y, m))));
  expect_equal(shifted, div(exp(x), add(exp(x), exp(y))));
  EXPECT_EQ(agree(shifted, div(exp(sub(x, m)), add(exp(sub(x, x)), exp(sub(y, m))))), 0);
}

/// Two blocks merged by their log-sum-exps, as flash attention does.
TEST_F(TowerRing, LogSumExpMergesAreEqualAlways) {
  const auto lse = [&](const Value& x, const Value& y) {
    const Value m = max(x, y);
    return add(m, log(add(exp(sub(x, m)), exp(sub(y, m)))));
  };
  const Value s[] = {draw(), draw(), draw(), draw()}, v[] = {draw(), draw(), draw(), draw()};
  const auto mean = [&](size_t first, size_t last) {
    Value above = mul(exp(s[first]), v[first]), below = exp(s[first]);
    for (size_t i = first + 1; i < last; ++i) {
      above = add(above, mul(exp(s[i]), v[i]));
      below = add(below, exp(s[i]));
    }
    return div(above, below);
  };
  const Value l0 = lse(s[0], s[1]), l1 = lse(s[2], s[3]), l = lse(l0, l1);
  const Value merged = add(mul(exp(sub(l0, l)), mean(0, 2)), mul(exp(sub(l1, l)), mean(2, 4)));
  expect_equal(merged, mean(0, 4));
  expect_equal(l, log(add(add(exp(s[0]), exp(s[1])), add(exp(s[2]), exp(s[3])))));
  EXPECT_EQ(agree(add(mul(exp(sub(l0, l)), mean(0, 2)), mean(2, 4)), mean(0, 4)), 0);
  EXPECT_EQ(agree(div(add(mean(0, 2), mean(2, 4)), num("2")), mean(0, 4)), 0);
}

TEST_F(TowerRing, MasksVanishUnderExpAndCancel) {
  const Value x = draw(), y = draw();
  for (const char* mask : {"-10000", "-1e9", "-3.4028234663852886e38"}) {
    expect_equal(exp(add(x, num(mask))), num("0"));
    expect_equal(exp(sub(add(x, num(mask)), add(y, num(mask)))), exp(sub(x, y)));
    expect_equal(max(add(x, num(mask)), y), y);
    expect_equal(max(num(mask), y), y);
    expect_equal(exp(sub(num(mask), y)), num("0"));
  }
  expect_equal(exp(sub(x, num("1e9"))), num("0"));
  EXPECT_EQ(agree(exp(add(x, num("-9999"))), num("0")), 0);
  EXPECT_EQ(ring_->infinities().size(), 3u);
}

TEST_F(TowerRing, MasksComputedFromDiscreteValues) {
  const Value x = draw();
  for (const bool kept : {false, true}) {
    const Value mask = op(Convert{DType::f32}, {bits(kept)});
    const Value bias = mul(sub(num("1"), mask), num("-1e4"));
    expect_equal(exp(add(x, bias)), kept ? exp(x) : num("0"));
    expect_equal(exp(select(bits(kept), x, num("-1e30"))), kept ? exp(x) : num("0"));
    expect_equal(exp(select(bits(kept), x, num("-inf"))), kept ? exp(x) : num("0"));
  }
}

TEST_F(TowerRing, MaximaOfMaskedValuesCompareTheMaskFirst) {
  const Value x = draw(), y = draw(), t = num("-1e30");
  expect_equal(exp(sub(add(x, t), max(add(x, t), add(y, t)))), exp(sub(x, max(x, y))));
  expect_equal(max(add(x, num("-1e30")), add(y, num("-1e4"))), add(y, num("-1e4")));
}

TEST_F(TowerRing, LogisticAndTanhOfInfinitiesAreTheirLimits) {
  const Value x = draw(), low = add(x, num("-1e30")), high = sub(x, num("-1e30"));
  expect_equal(op(Logistic{}, {low}), num("0"));
  expect_equal(op(Logistic{}, {high}), num("1"));
  expect_equal(op(Tanh{}, {low}), num("-1"));
  expect_equal(op(Logistic{}, {num("-inf")}), num("0"));
}

TEST_F(TowerRing, MinusInfinity) {
  const Value x = draw(), low = num("-inf");
  expect_equal(exp(low), num("0"));
  expect_equal(max(low, x), x);
  expect_equal(exp(sub(low, x)), num("0"));
  expect_equal(max(low, low), low);
  sub(low, low);
  EXPECT_NE(ring_->undecided(), "");
}

/// Each of these is beyond the rung and says so.
TEST_F(TowerRing, WhatIsNotDecidedIsNoted) {
  const auto notes = [&](const char* what, const auto& make) {
    use(2);
    make();
    EXPECT_NE(ring_->undecided().find(what), std::string::npos) << what << ": " << ring_->undecided();
  };
  notes("a product", [&] { mul(add(draw(), num("-1e30")), draw()); });
  notes("a denominator", [&] { div(draw(), add(draw(), num("-1e30"))); });
  notes("exponential of a positive infinity", [&] { exp(sub(draw(), num("-1e30"))); });
  notes("exponential of a positive infinity", [&] { exp(add(draw(), num("1e5"))); });
  notes("logarithm of 0", [&] { log(num("0")); });
  notes("an infinity", [&] { op(Sqrt{}, {add(draw(), num("-1e30"))}); });
  notes("not positive", [&] {
    const Value low = splat(type_, Rational::infinity(true), *ring_);
    sub(draw(), select(compare(Direction::gt, draw(), draw()), draw(), low));
  });
  notes("an integer", [&] { op(Convert{DType::i32}, {draw()}, DType::i32); });
  use(2);
  splat(type_, Rational::infinity(false), *ring_);
  EXPECT_TRUE(ring_->unrepresentable());
}

/// A large constant that cancels must not be lost: x + 20000 - 20000 is x, not -T + x.
TEST_F(TowerRing, LargeConstantsOfBothSignsCancel) {
  const Value x = draw();
  expect_equal(exp(sub(add(x, num("20000")), num("20000"))), exp(x));
  expect_equal(sub(add(x, num("-1e30")), num("-1e30")), x);
}

TEST_F(TowerRing, NumbersStayExact) {
  expect_equal(op(Floor{}, {div(num("7"), num("2"))}), num("3"));
  expect_equal(op(Sqrt{}, {num("9/4")}), num("3/2"));
  const Value root = op(Sqrt{}, {num("8")});
  expect_equal(div(num("1"), root), op(Rsqrt{}, {num("8")}));
  expect_equal(mul(root, root), num("8"));
  expect_equal(op(Remainder{}, {num("-7"), num("3")}), num("-1"));
  expect_equal(op(Power{}, {draw(), num("0")}), num("1"));
  const Value x = draw();
  expect_equal(op(Power{}, {x, num("3")}), mul(x, mul(x, x)));
  expect_equal(op(Power{}, {x, num("-2")}), div(num("1"), mul(x, x)));
  const Value three = op(Convert{DType::i32}, {div(num("6"), num("2"))}, DType::i32);
  EXPECT_EQ(three.plane<int32_t>(0)[7], 3);
}

TEST_F(TowerRing, SoftPredicates) {
  TowerDomain::Options options;
  options.order.ties_apart = false;
  use(2, options);
  const Value x = draw(), y = draw(), c = draw();
  expect_equal(max(x, y), max(y, x));
  expect_equal(max(add(x, c), add(y, c)), add(max(x, y), c));
  expect_equal(max(x, num("0")), mul(x, op(Convert{DType::f32}, {compare(Direction::gt, x, num("0"))})));
  EXPECT_EQ(agree(max(x, num("0")), x), 0);
  EXPECT_EQ(agree(max(x, max(y, c)), max(max(x, y), c)), 0);  // no order
  const Value p = compare(Direction::lt, num("2"), num("5/2"));
  expect_equal(select(p, x, y), x);
}

TEST_F(TowerRing, MaximaOfSetsDoNotDependOnTheirGroups) {
  const auto min = [&](const Value& x, const Value& y) { return op(Minimum{}, {x, y}); };
  const auto negated = [&](const Value& x) { return op(Negate{}, {x}); };
  use(2, TowerDomain::Options{.order = {.max_of_sets = true}});
  const Value a = draw(), b = draw(), c = draw(), nothing = num("-inf");
  EXPECT_EQ(agree(max(max(a, b), c), max(b, max(c, max(nothing, a)))), kTrials);
  EXPECT_EQ(agree(min(min(a, b), c), negated(max(negated(c), max(negated(b), negated(a))))), kTrials);
  EXPECT_EQ(agree(add(max(a, b), min(a, b)), add(a, b)), kTrials);
  EXPECT_EQ(agree(max(max(a, b), c), max(a, b)), 0) << "one is left out";
  EXPECT_EQ(agree(max(max(a, b), num("0")), max(a, b)), 0);
  EXPECT_EQ(agree(max(max(a, b), c), min(min(a, b), c)), 0);
  EXPECT_EQ(agree(exp(sub(max(max(a, b), c), max(c, max(b, a)))), num("1")), kTrials);
}

TEST_F(TowerRing, MaximaOfSetsHoldWhatAPredicateMakesMinusInfinity) {
  use(2, TowerDomain::Options{.order = {.max_of_sets = true}});
  const Value a = draw(), b = draw(), p = compare(Direction::gt, draw(), draw()), nothing = num("-inf");
  const Value masked = select(p, a, nothing);
  EXPECT_EQ(agree(max(max(masked, b), a), max(a, max(b, masked))), kTrials);
  EXPECT_EQ(agree(max(masked, b), max(a, b)), 0);
  EXPECT_EQ(agree(max(masked, b), max(select(p, a, num("0")), b)), 0);
  EXPECT_EQ(ring_->undecided(), "");
}

TEST_F(TowerRing, TiesApart) {
  const auto gt_is_ge = [&](bool ties_apart) {
    TowerDomain::Options options;
    options.order.ties_apart = ties_apart;
    use(2, options);
    const Value x = draw(), y = draw();
    return agree(compare(Direction::gt, x, y), compare(Direction::ge, x, y));
  };
  EXPECT_EQ(gt_is_ge(false), kTrials);
  EXPECT_EQ(gt_is_ge(true), 0);
}

TEST_F(TowerRing, HardOrderIsTotal) {
  TowerDomain::Options options;
  options.order.key = 0x123456789abcdef;
  use(2, options);
  const Value x = draw(), y = draw(), z = log(draw());
  expect_equal(max(x, max(y, z)), max(max(z, x), y));
  expect_equal(op(Minimum{}, {x, y}), sub(add(x, y), max(x, y)));
  const Value masked = select(compare(Direction::ge, x, y), x, num("-1e30"));
  expect_equal(exp(masked), select(compare(Direction::ge, x, y), exp(x), num("0")));
  const int64_t larger = agree(max(x, y), x);
  EXPECT_GT(larger, kTrials / 4);
  EXPECT_LT(larger, 3 * kTrials / 4);
}

TEST_F(TowerRing, LogisticAndTanhAreMadeOfExponentials) {
  const Value x = draw(), y = draw(), one = num("1");
  expect_equal(op(Logistic{}, {x}), div(one, add(one, exp(op(Negate{}, {x})))));
  expect_equal(op(Logistic{}, {op(Negate{}, {x})}), sub(one, op(Logistic{}, {x})));
  const Value a = op(Tanh{}, {x}), b = op(Tanh{}, {y});
  expect_equal(a, sub(one, div(num("2"), add(exp(add(x, x)), one))));
  expect_equal(op(Tanh{}, {add(x, y)}), div(add(a, b), add(one, mul(a, b))));
  const Value softplus = log(add(one, exp(x)));
  expect_equal(sub(softplus, log(add(one, exp(op(Negate{}, {x}))))), x);
  EXPECT_EQ(agree(a, x), 0);
  EXPECT_EQ(agree(op(Logistic{}, {add(x, x)}), mul(num("2"), op(Logistic{}, {x}))), 0);
}

/// What a truncated exponential takes for true: Z/p^3, exp(x) = (1+p)^x, held each of these always.
TEST_F(TowerRing, NothingIsLostAboveAnyDegree) {
  const Value x = draw(), zero = num("0");
  const auto difference = [&] { return sub(exp(draw()), exp(draw())); };
  EXPECT_EQ(agree(mul(mul(difference(), difference()), difference()), sub(x, x)), 0);
  const auto sum_of = [&](std::initializer_list<const char*> factors) {
    Value sum = zero;
    for (const char* factor : factors) sum = add(sum, exp(mul(num(factor), x)));
    return sum;
  };
  EXPECT_EQ(agree(sum_of({"1", "5", "10", "18", "23", "27"}), sum_of({"2", "3", "13", "15", "25", "26"})), 0);
  EXPECT_EQ(agree(add(exp(mul(num("3"), x)), mul(num("3"), exp(x))), add(mul(num("3"), exp(add(x, x))), num("1"))), 0);
  EXPECT_EQ(agree(exp(x), add(add(num("1"), x), div(mul(x, x), num("2")))), 0);
}

/// A true law may hold in fewer components than elements have: functions that hashed more would tell equal elements
/// apart.
TEST_F(TowerRing, FunctionsSeeTheFirstComponentInAllLanes) {
  const Value x = draw(), y = draw(), z = draw();
  const Value one = add(div(exp(x), add(exp(x), exp(z))), div(exp(z), add(exp(x), exp(z))));
  expect_equal(op(Sqrt{}, {mul(one, y)}), op(Sqrt{}, {y}));
  expect_equal(op(Sqrt{}, {add(div(mul(y, exp(x)), exp(x)), x)}), op(Sqrt{}, {add(y, x)}));
  expect_equal(max(mul(one, y), z), max(y, z));
  expect_equal(compare(Direction::gt, mul(one, y), y), compare(Direction::gt, y, y));
  expect_equal(exp(log(mul(one, y))), y);
  const Value root = op(Sqrt{}, {x});
  for (const uint64_t a : root.plane<uint64_t>(0)) EXPECT_GT(a, 1u);
  NewValue other(type_, x.storage);
  std::copy_n(x.data.get(), x.bytes(), other.data.get());
  other.elements<uint64_t>()[kTrials] ^= 1;  // lane 1 of element 0
  const Value changed = op(Sqrt{}, {std::move(other).finish()});
  EXPECT_NE(changed.plane<uint64_t>(0)[0], root.plane<uint64_t>(0)[0]);
  EXPECT_EQ(changed.plane<uint64_t>(0)[1], root.plane<uint64_t>(0)[1]);
}

/// Below the height exp is exact; what is nested more deeply is an opaque function, so that nothing false is equal and
/// the same formula still is.
TEST_F(TowerRing, ExponentialsBeyondTheHeightAreOpaque) {
  for (size_t height = 2; height <= 4; ++height) {
    TowerDomain::Options options;
    options.height = height;
    use(2, options);
    Value sum = add(draw(), draw()), nested_sum = sum, nested_product = sum;
    const Value x = draw(), y = draw();
    nested_sum = exp(add(x, y));
    nested_product = mul(exp(x), exp(y));
    for (size_t depth = 1; depth <= height; ++depth) {
      EXPECT_EQ(agree(nested_sum, nested_product), depth < height ? kTrials : 0) << height << " " << depth;
      EXPECT_EQ(agree(nested_sum, nested_sum), kTrials);
      nested_sum = exp(nested_sum);
      nested_product = exp(nested_product);
    }
  }
}

TEST_F(TowerRing, LargePrimesKeepTheLaws) {
  TowerDomain::Options options;
  options.primes = PrimeSize::large;
  use(2, options);
  EXPECT_GT(ring_->modulus(1), uint64_t{1} << 58);
  const Value x = draw(), y = draw();
  expect_equal(exp(add(x, y)), mul(exp(x), exp(y)));
  expect_equal(log(mul(x, y)), add(log(x), log(y)));
  EXPECT_EQ(agree(exp(x), add(x, num("1"))), 0);
}

TEST_F(TowerRing, DivisionIsTotalAndCounted) {
  const Value zero = sub(draw(), draw());
  const Value x = sub(zero, zero);
  const Value y = div(num("1"), x);
  EXPECT_EQ(ring_->non_units(0), static_cast<uint64_t>(3 * kTrials)) << "in each component";
  EXPECT_EQ(ring_->non_unit_lanes(x, 3), 3u);
  EXPECT_NE(y.plane<uint64_t>(0)[0], 0u);
}

TEST_F(TowerRing, ProductsAndSumsOfMixedElements) {
  const TensorType square{DType::f32, {3, 3}}, row{DType::f32, {3}};
  const auto slice_of = [&](const Value& x, int64_t first) {
    NewValue result(square, x.storage);
    for (size_t p = 0; p < x.storage.planes; ++p) {
      std::copy_n(x.plane<uint64_t>(p).data() + first, 9, result.elements<uint64_t>() + 9 * p);
    }
    return std::move(result).finish();
  };
  const Value u = draw();
  const Value a = slice_of(log(u), 0);
  const Value ones = splat(square, Rational(1), *ring_);
  DotGeneral dot;
  dot.contract = {{1}, {0}};
  const Value operands[] = {a, ones};
  Value by_dot = evaluate(dot, operands, square, *ring_);
  Reduce reduce;
  reduce.op = Reducer::add;
  reduce.dims = {1};
  Value by_sum = evaluate(reduce, std::span(operands, 1), row, *ring_);
  Value* const values[] = {&by_dot, &by_sum};
  ring_->make_comparable(values);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(by_dot.plane<uint64_t>(0)[3 * i + 1], by_sum.plane<uint64_t>(0)[i]);
  }
  EXPECT_EQ(ring_->undecided(), "");
}

TEST_F(TowerRing, SeedsFixPrimesAndResidues) {
  const TowerDomain a(3, 1), b(3, 1), c(3, 2);
  EXPECT_EQ(a.modulus(2), b.modulus(2));
  EXPECT_NE(a.modulus(0), a.modulus(1));
  EXPECT_TRUE(a.modulus(0) != c.modulus(0) || a.modulus(1) != c.modulus(1));
}

}  // namespace
}  // namespace isoshard::sim::domains_tower_ring_test
