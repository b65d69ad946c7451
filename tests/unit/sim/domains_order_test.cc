// Comparisons, selections and extremes in every domain.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/evaluate/accumulator.h"
#include "sim/evaluate/evaluate.h"
#include "sim/value/new_value.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::domains_order_test {
namespace {

using testing_support::random_ring;
using testing_support::value_of;

constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
const TensorType kF64x4{DType::f64, {4}}, kPred4{DType::pred, {4}};

Value f64(const std::vector<double>& x, const Domain& domain = float_domain()) {
  return value_of(DType::f64, {std::ssize(x)}, x, domain);
}

std::vector<double> doubles(const Value& x) { return {x.plane<double>(0).begin(), x.plane<double>(0).end()}; }
std::vector<int> bytes(const Value& x) { return {x.plane<uint8_t>(0).begin(), x.plane<uint8_t>(0).end()}; }
std::vector<int32_t> integers(const Value& x) { return {x.plane<int32_t>(0).begin(), x.plane<int32_t>(0).end()}; }

TEST(Order, ComparisonsOfFloatsWithNan) {
  const Value x = f64({1, 2, kNan, -0.0}), y = f64({2, 2, kNan, 0});
  const auto compare = [&](Direction d) {
    return bytes(evaluate(Compare{d}, std::vector{x, y}, kPred4, float_domain()));
  };
  EXPECT_EQ(compare(Direction::eq), (std::vector{0, 1, 0, 1}));
  EXPECT_EQ(compare(Direction::ne), (std::vector{1, 0, 1, 0}));
  EXPECT_EQ(compare(Direction::lt), (std::vector{1, 0, 0, 0}));
  EXPECT_EQ(compare(Direction::le), (std::vector{1, 1, 0, 1}));
  EXPECT_EQ(compare(Direction::gt), (std::vector{0, 0, 0, 0}));
  EXPECT_EQ(compare(Direction::ge), (std::vector{0, 1, 0, 1}));
}

/// Bit 1: what overflows has no bound and may be a number.
TEST(Order, FiniteIsWhatIsNeitherNanNorInfinite) {
  const auto finite = [](const Value& x, const Domain& domain) {
    return bytes(evaluate(IsFinite{}, std::vector{x}, kPred4, domain));
  };
  EXPECT_EQ(finite(f64({1, -0.0, kNan, -kInf}), float_domain()), (std::vector{1, 1, 0, 0}));
  const Value one = f64({1, 1, 0, -1}, bounded_domain()), by = f64({3, 0, 0, 0}, bounded_domain());
  const Value quotients = evaluate(Divide{}, std::vector{one, by}, kF64x4, bounded_domain());
  EXPECT_EQ(finite(quotients, bounded_domain()), (std::vector{1, 0, 0, 0}));
  const Value large = f64({1, 1000, -1000, 700}, bounded_domain());
  const Value powers = evaluate(Exponential{}, std::vector{large}, kF64x4, bounded_domain());
  EXPECT_EQ(finite(powers, bounded_domain()), (std::vector{1, 2, 1, 1}));
}

TEST(Order, ExtremesAreThoseOfIeee754) {
  const Value x = f64({1, -0.0, kNan, -kInf}), y = f64({2, 0, 1, 3});
  const std::vector<double> high = doubles(evaluate(Maximum{}, std::vector{x, y}, kF64x4, float_domain()));
  EXPECT_EQ(high[0], 2);
  EXPECT_FALSE(std::signbit(high[1]));
  EXPECT_TRUE(std::isnan(high[2]));
  EXPECT_EQ(high[3], 3);
  const std::vector<double> low = doubles(evaluate(Minimum{}, std::vector{x, y}, kF64x4, float_domain()));
  EXPECT_EQ(low[0], 1);
  EXPECT_TRUE(std::signbit(low[1]));
  EXPECT_TRUE(std::isnan(low[2]));
  EXPECT_EQ(low[3], -kInf);
  const std::vector<double> sign = doubles(evaluate(Sign{}, std::vector{x}, kF64x4, float_domain()));
  EXPECT_EQ(sign[0], 1);
  EXPECT_TRUE(std::signbit(sign[1]));
  EXPECT_TRUE(std::isnan(sign[2]));
  EXPECT_EQ(sign[3], -1);
  EXPECT_EQ(doubles(evaluate(Abs{}, std::vector{x}, kF64x4, float_domain()))[3], kInf);
}

TEST(Order, ReductionsOverAnyDims) {
  const std::vector<double> numbers{3, 1, 4, 1, 5, 9};
  const Value x = value_of(DType::f64, {2, 3}, numbers, float_domain());
  const auto reduce = [&](Reducer op, std::vector<int64_t> dims, Shape shape) {
    return doubles(
        evaluate(Reduce{op, std::move(dims), {}}, std::vector{x}, TensorType{DType::f64, shape}, float_domain()));
  };
  EXPECT_EQ(reduce(Reducer::max, {0}, {3}), (std::vector<double>{3, 5, 9}));
  EXPECT_EQ(reduce(Reducer::min, {1}, {2}), (std::vector<double>{1, 1}));
  EXPECT_EQ(reduce(Reducer::max, {1, 0}, {}), (std::vector<double>{9}));
  const Value empty = value_of(DType::f64, {2, 0}, {}, float_domain());
  EXPECT_EQ(
      doubles(evaluate(Reduce{Reducer::max, {1}, {}}, std::vector{empty}, TensorType{DType::f64, {2}}, float_domain())),
      (std::vector<double>{-kInf, -kInf}));
  const Value none = value_of(DType::i32, {0}, {}, float_domain());
  EXPECT_EQ(
      integers(evaluate(Reduce{Reducer::min, {0}, {}}, std::vector{none}, TensorType{DType::i32, {}}, float_domain())),
      (std::vector{std::numeric_limits<int32_t>::max()}));
}

std::array<Value, 2> two(const OpData& op, const Value& x, const TensorType& a, const TensorType& b,
                         const Domain& domain) {
  const TensorType* const types[] = {&a, &b};
  std::array<Value, 2> results;
  evaluate(op, std::vector{x}, types, domain, results);
  return results;
}

TEST(Order, ArgmaxAndTopKTakeTheFirstOfEqualOnes) {
  const Value x = value_of(DType::f64, {2, 3}, {1, 7, 7, kNan, 2, kNan}, float_domain());
  const TensorType row{DType::f64, {2}}, index{DType::i32, {2}};
  const auto largest = two(Reduce{Reducer::argmax, {1}, {}}, x, row, index, float_domain());
  EXPECT_EQ(doubles(largest[0])[0], 7);
  EXPECT_EQ(integers(largest[1]), (std::vector{1, 0})) << "nan is the largest";
  const auto columns = two(Reduce{Reducer::argmax, {0}, {}}, x, TensorType{DType::f64, {3}},
                           TensorType{DType::i32, {3}}, float_domain());
  EXPECT_EQ(integers(columns[1]), (std::vector{1, 0, 1}));
  const auto top = two(TopK{2}, x, TensorType{DType::f64, {2, 2}}, TensorType{DType::i32, {2, 2}}, float_domain());
  EXPECT_EQ(integers(top[1]), (std::vector{1, 2, 0, 2}));
  EXPECT_EQ(doubles(top[0])[1], 7);
}

TEST(Order, IntegersAreNativeInEveryDomain) {
  const RingDomain ring(2, 1);
  const Domain* domains[] = {&float_domain(), &ring, &bounded_domain()};
  constexpr int32_t kLow = std::numeric_limits<int32_t>::min();
  for (const Domain* domain : domains) {
    const Value x = value_of(DType::i32, {4}, {3, -5, kLow, 0}, *domain),
                y = value_of(DType::i32, {4}, {3, 2, 1, -1}, *domain);
    const TensorType type{DType::i32, {4}};
    EXPECT_EQ(integers(evaluate(Abs{}, std::vector{x}, type, *domain)), (std::vector{3, 5, kLow, 0}));
    EXPECT_EQ(integers(evaluate(Sign{}, std::vector{x}, type, *domain)), (std::vector{1, -1, -1, 0}));
    EXPECT_EQ(integers(evaluate(Maximum{}, std::vector{x, y}, type, *domain)), (std::vector{3, 2, 1, 0}));
    EXPECT_EQ(integers(evaluate(Minimum{}, std::vector{x, y}, type, *domain)), (std::vector{3, -5, kLow, -1}));
    EXPECT_EQ(integers(evaluate(And{}, std::vector{x, y}, type, *domain)), (std::vector{3, 2, 0, 0}));
    EXPECT_EQ(integers(evaluate(Or{}, std::vector{x, y}, type, *domain)), (std::vector{3, -5, kLow + 1, -1}));
    EXPECT_EQ(integers(evaluate(Not{}, std::vector{x}, type, *domain)), (std::vector{-4, 4, ~kLow, -1}));
    const Value less = evaluate(Compare{Direction::lt}, std::vector{x, y}, kPred4, *domain);
    std::vector<uint8_t> native(4);
    domain->decide(4, less.data.get(), native.data());
    EXPECT_EQ(native, (std::vector<uint8_t>{0, 1, 1, 0}));
    EXPECT_EQ(integers(evaluate(Select{}, std::vector{less, x, y}, type, *domain)), (std::vector{3, -5, kLow, -1}));
    Accumulator high(x, Extreme::maximum);
    high.add(y, *domain);
    EXPECT_EQ(integers(high.take()), (std::vector{3, 2, 1, 0}));
  }
  EXPECT_TRUE(ring.undecided().empty());
}

using Lanes = std::vector<uint32_t>;
Lanes lanes(const Value& x, size_t lane) { return {x.plane<uint32_t>(lane).begin(), x.plane<uint32_t>(lane).end()}; }

TEST(Order, SoftPredicatesKeepTheirLaws) {
  const RingDomain apart(2, 5), blind(2, 5, RingOrder{0, false});
  const Value x = random_ring(kF64x4, 2, 1, "x"), y = random_ring(kF64x4, 2, 1, "y");
  const auto compare = [&](const Domain& d, Direction direction, const Value& a, const Value& b) {
    return lanes(evaluate(Compare{direction}, std::vector{a, b}, kPred4, d), 0);
  };
  const auto complement = [&](Lanes p) {
    for (uint32_t& v : p) v = apart.moduli()[0].subtract(1, v);
    return p;
  };
  EXPECT_EQ(compare(apart, Direction::gt, x, x), Lanes(4, 0));
  EXPECT_EQ(compare(apart, Direction::ge, x, x), Lanes(4, 1));
  EXPECT_EQ(compare(apart, Direction::eq, x, x), Lanes(4, 1));
  EXPECT_EQ(compare(apart, Direction::eq, x, y), compare(apart, Direction::eq, y, x));
  EXPECT_EQ(compare(apart, Direction::ne, x, y), complement(compare(apart, Direction::eq, x, y)));
  EXPECT_EQ(compare(apart, Direction::lt, x, y), compare(apart, Direction::gt, y, x));
  EXPECT_EQ(compare(apart, Direction::ge, x, y), complement(compare(apart, Direction::lt, x, y)));
  EXPECT_NE(compare(apart, Direction::ge, x, y), compare(apart, Direction::gt, x, y));
  EXPECT_EQ(compare(blind, Direction::ge, x, y), compare(blind, Direction::gt, x, y));
  const auto higher = [&](const Value& a, const Value& b) {
    return evaluate(Maximum{}, std::vector{a, b}, kF64x4, apart);
  };
  const auto sum = [&](const Value& a, const Value& b) { return evaluate(Add{}, std::vector{a, b}, kF64x4, apart); };
  EXPECT_TRUE(same_bits(higher(x, y), higher(y, x)));
  EXPECT_TRUE(same_bits(higher(x, x), x));
  const Value low = evaluate(Minimum{}, std::vector{x, y}, kF64x4, apart);
  EXPECT_TRUE(same_bits(sum(low, higher(x, y)), sum(x, y)));
  EXPECT_TRUE(same_bits(higher(sum(x, y), sum(y, y)), sum(higher(x, y), y)));
  EXPECT_FALSE(same_bits(higher(x, y), x));
}

/// No order decides it, and no number: a number may come out of what has no value.
TEST(Order, InRingsFiniteIsSomeFunctionOfTheElement) {
  const Value x = random_ring(kF64x4, 2, 1, "x"), y = random_ring(kF64x4, 2, 1, "y");
  for (const RingOrder order : {RingOrder{}, RingOrder{12345, true}}) {
    const RingDomain ring(2, 5, order);
    const auto finite = [&](const Value& a) { return evaluate(IsFinite{}, std::vector{a}, kPred4, ring); };
    const auto sum = [&](const Value& a, const Value& b) { return evaluate(Add{}, std::vector{a, b}, kF64x4, ring); };
    EXPECT_TRUE(same_bits(finite(sum(x, y)), finite(sum(y, x))));
    for (const Value& a : {x, splat(kF64x4, Rational(5), ring)}) {
      EXPECT_NE(lanes(finite(a), 0), lanes(finite(y), 0));
      for (const uint32_t p : lanes(finite(a), 1)) EXPECT_GT(p, 1U);
    }
  }
}

TEST(Order, AHardOrderReturnsOperandsAndIsTransitive) {
  const RingDomain hard(2, 5, RingOrder{12345, true});
  const TensorType type{DType::f64, {64}};
  const Value x = random_ring(type, 2, 1, "x"), y = random_ring(type, 2, 1, "y"), z = random_ring(type, 2, 1, "z");
  const auto higher = [&](const Value& a, const Value& b) {
    return evaluate(Maximum{}, std::vector{a, b}, type, hard);
  };
  const Value m = higher(x, y);
  size_t first = 0;
  for (size_t i = 0; i < 64; ++i) {
    const bool is_x = lanes(m, 0)[i] == lanes(x, 0)[i];
    first += is_x ? 1U : 0U;
    EXPECT_EQ(lanes(m, 1)[i], lanes(is_x ? x : y, 1)[i]) << "all lanes decide alike";
  }
  EXPECT_GT(first, 10U);
  EXPECT_LT(first, 54U);
  EXPECT_TRUE(same_bits(higher(higher(x, y), z), higher(x, higher(y, z))));
}

/// The hard order by its definition (docs/spec/order.md, "Hard order"): balanced representatives of r times the
/// residues, lane by lane.
std::vector<int64_t> naive_key(const RingDomain& ring, const Value& x, size_t element, uint64_t r) {
  std::vector<int64_t> key;
  for (const size_t lane : {size_t{0}, size_t{1}}) {
    const auto prime = static_cast<int64_t>(ring.modulus(lane));
    const auto scaled = static_cast<int64_t>(r * lanes(x, lane)[element] % ring.modulus(lane));
    key.push_back(scaled > prime / 2 ? scaled - prime : scaled);
  }
  return key;
}

/// 200 rows of 6, each with the element 0 again at its end, so that there are ties.
Value rows_with_ties() {
  const Value drawn = random_ring(TensorType{DType::f64, {200, 6}}, 2, 3, "x");
  NewValue made(drawn.type, drawn.storage);
  for (const size_t lane : {size_t{0}, size_t{1}}) {
    auto* const plane = reinterpret_cast<uint32_t*>(made.data.get() + lane * drawn.plane_bytes());
    for (size_t i = 0; i < 1200; ++i) plane[i] = lanes(drawn, lane)[i % 6 == 5 ? i - 5 : i];
  }
  return std::move(made).finish();
}

TEST(Order, AHardOrderIsThatOfItsDefinition) {
  constexpr uint32_t kKey = 987654321;
  const RingDomain hard(2, 5, RingOrder{kKey, true});
  const Value x = rows_with_ties();
  const TensorType row{DType::f64, {200}}, index{DType::i32, {200}};
  const auto top = two(TopK{3}, x, TensorType{DType::f64, {200, 3}}, TensorType{DType::i32, {200, 3}}, hard);
  const auto largest = two(Reduce{Reducer::argmax, {1}, {}}, x, row, index, hard);
  const Value most = evaluate(Reduce{Reducer::max, {1}, {}}, std::vector{x}, row, hard);
  const Value least = evaluate(Reduce{Reducer::min, {1}, {}}, std::vector{x}, row, hard);
  for (size_t r = 0; r < 200; ++r) {
    std::vector<int32_t> order{0, 1, 2, 3, 4, 5};
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return naive_key(hard, x, 6 * r + static_cast<size_t>(a), kKey) >
             naive_key(hard, x, 6 * r + static_cast<size_t>(b), kKey);
    });
    for (size_t k = 0; k < 3; ++k) EXPECT_EQ(integers(top[1])[3 * r + k], order[k]) << r;
    EXPECT_EQ(integers(largest[1])[r], order[0]) << r;
    for (const size_t lane : {size_t{0}, size_t{1}}) {
      const auto element = [&](int32_t at) { return lanes(x, lane)[6 * r + static_cast<size_t>(at)]; };
      EXPECT_EQ(lanes(most, lane)[r], element(order[0])) << r;
      EXPECT_EQ(lanes(largest[0], lane)[r], element(order[0])) << r;
      EXPECT_EQ(lanes(least, lane)[r], element(order[5])) << r;
    }
  }
}

TEST(Order, WhatASoftPredicateCannotDecideIsRemembered) {
  const RingDomain ring(2, 5);
  const Value x = random_ring(TensorType{DType::f64, {2, 3}}, 2, 1, "x");
  two(Reduce{Reducer::argmax, {1}, {}}, x, TensorType{DType::f64, {2}}, TensorType{DType::i32, {2}}, ring);
  EXPECT_EQ(ring.undecided(), "an index of argmax or top_k");
}

TEST(Order, BoundsKnowTies) {
  const BoundedDomain domain;
  Value x = f64({1, 1, 5, -2}, domain), y = f64({2, 1 + 1e-12, 5, 3}, domain);
  // Errors of 1e-9 on all but the third element.
  for (Value* v : {&x, &y}) {
    auto copy = allocate_aligned(v->bytes());
    std::memcpy(copy.get(), v->data.get(), v->bytes());
    for (const size_t i : {4U, 5U, 7U}) reinterpret_cast<double*>(copy.get())[i] = 1e-9;
    v->data = copy;
  }
  const Value less = evaluate(Compare{Direction::lt}, std::vector{x, y}, kPred4, domain);
  EXPECT_EQ(bytes(less), (std::vector{1, 3, 0, 1})) << "bit 1 says unsure";
  const Value chosen = evaluate(Select{}, std::vector{less, x, y}, kF64x4, domain);
  EXPECT_EQ(chosen.plane<double>(1)[0], 1e-9);
  EXPECT_EQ(chosen.plane<double>(1)[1], kInf);
  EXPECT_EQ(chosen.plane<double>(1)[2], 0);
  const Value high = evaluate(Maximum{}, std::vector{x, y}, kF64x4, domain);
  EXPECT_EQ(high.plane<double>(1)[1], 1e-9);
  EXPECT_EQ(domain.ties(), 0U);
  two(Reduce{Reducer::argmax, {0}, {}}, x, TensorType{DType::f64, {}}, TensorType{DType::i32, {}}, domain);
  EXPECT_EQ(domain.ties(), 0U) << "5 is far above the others";
  two(TopK{2}, x, TensorType{DType::f64, {2}}, TensorType{DType::i32, {2}}, domain);
  EXPECT_GT(domain.ties(), 0U);
}

}  // namespace
}  // namespace isoshard::sim::domains_order_test
