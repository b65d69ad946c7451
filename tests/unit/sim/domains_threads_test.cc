// Domains are shared by all workers: the same bits from many threads at once, and no count is lost.
#include <gtest/gtest.h>

#include <thread>

#include "sim/evaluate/evaluate.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::domains_threads_test {
namespace {

using testing_support::random_value;

constexpr size_t kThreads = 4;

/// A few ops of each kind, ending in a division by something that is 0 at one place.
Value chain(const Domain& domain, const Value& x, const Value& zero_somewhere) {
  const auto apply = [&](const OpData& op, const std::vector<Value>& operands, const TensorType& type) {
    return evaluate(op, operands, type, domain);
  };
  const Value product = apply(DotGeneral{DimPairs{{1}, {0}}, {}}, {x, x}, x.type);
  const Value turned = apply(Transpose{{1, 0}}, {apply(Tanh{}, {product}, x.type)}, x.type);
  const Value row = apply(Reduce{Reducer::add, {0}, {}}, {turned}, {x.type.dtype, {x.type.shape[1]}});
  const Value wide = apply(BroadcastInDim{{1}, x.type.shape}, {row}, x.type);
  const Value third = apply(Constant{Rational(1, 3), x.type.dtype, x.type.shape}, {}, x.type);
  return apply(Divide{}, {apply(Multiply{}, {wide, third}, x.type), zero_somewhere}, x.type);
}

void expect_same_on_all_threads(const Domain& domain) {
  const TensorType type{DType::f32, {24, 24}};
  const Value x = random_value(type, domain, 5);
  std::vector<double> denominators(24 * 24, 3);
  denominators[100] = 0;
  const Value y = from_doubles(type, denominators, domain);
  const Value expected = chain(domain, x, y);
  std::vector<Value> results(kThreads);
  {
    std::vector<std::jthread> threads;
    for (Value& result : results) threads.emplace_back([&] { result = chain(domain, x, y); });
  }
  for (const Value& result : results) EXPECT_TRUE(same_bits(result, expected)) << domain.name();
}

TEST(DomainsOnThreads, GiveTheSameBits) {
  expect_same_on_all_threads(float_domain());
  expect_same_on_all_threads(float_domain(Precision::f64));
  expect_same_on_all_threads(bounded_domain());
}

TEST(DomainsOnThreads, TheRingCountsEveryNonUnit) {
  const RingDomain ring(2, 9);
  expect_same_on_all_threads(ring);
  EXPECT_EQ(ring.non_units(0), kThreads + 1);
  EXPECT_EQ(ring.non_units(1), kThreads + 1);
}

TEST(DomainsOnThreads, TheRingKeepsOneOfTheNumbersItCannotRepresent) {
  const RingDomain ring(2, 9);
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] { splat({DType::f32, {}}, Rational::infinity(true), ring); });
    }
  }
  ASSERT_TRUE(ring.unrepresentable());
  EXPECT_EQ(*ring.unrepresentable(), Rational::infinity(true));
}

}  // namespace
}  // namespace isoshard::sim::domains_threads_test
