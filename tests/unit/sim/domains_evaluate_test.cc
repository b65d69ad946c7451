// What evaluate() promises beyond the results, which the property tests compare with naive ones.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sim/evaluate/accumulator.h"
#include "sim/evaluate/evaluate.h"
#include "sim/value/movement.h"
#include "tests/domains_testing.h"
#include "tests/internal_error.h"

namespace isoshard::sim::domains_evaluate_test {
namespace {

using testing_support::value_of;

Value apply(const OpData& op, const std::vector<Value>& operands, TensorType type, const Domain& domain) {
  return evaluate(op, operands, type, domain);
}

std::vector<int32_t> integers(const Value& x) {
  const std::span<const int32_t> plane = x.plane<int32_t>(0);
  return {plane.begin(), plane.end()};
}

TEST(Evaluate, IntegersWrapAroundInEveryDomain) {
  constexpr int32_t kLow = std::numeric_limits<int32_t>::min();
  constexpr int32_t kHigh = std::numeric_limits<int32_t>::max();
  const RingDomain ring(2, 1);
  const Domain* domains[] = {&float_domain(), &ring, &bounded_domain()};
  for (const Domain* domain : domains) {
    const TensorType type{DType::i32, {3}};
    const Value x = value_of(DType::i32, {3}, {kHigh, kLow, 65536}, *domain);
    const Value y = value_of(DType::i32, {3}, {1, -1, 65537}, *domain);
    EXPECT_EQ(integers(apply(Add{}, {x, y}, type, *domain)), (std::vector{kLow, kHigh, 131073}));
    EXPECT_EQ(integers(apply(Subtract{}, {y, x}, type, *domain)), (std::vector{kLow + 2, kHigh, 1}));
    EXPECT_EQ(integers(apply(Multiply{}, {x, y}, type, *domain)), (std::vector{kHigh, kLow, 65536}));
    EXPECT_EQ(integers(apply(Negate{}, {x}, type, *domain)), (std::vector{-kHigh, kLow, -65536}));
    const DotGeneral dot{DimPairs{{0}, {0}}, {}};
    EXPECT_EQ(integers(apply(dot, {x, y}, {DType::i32, {}}, *domain)), (std::vector{65535}));
    const Reduce reduce{Reducer::add, {0}, {}};
    EXPECT_EQ(integers(apply(reduce, {x}, {DType::i32, {}}, *domain)), (std::vector{65535}));
    Accumulator sum(x);
    sum.add(y, *domain);
    EXPECT_EQ(integers(sum.take()), (std::vector{kLow, kHigh, 131073}));
    EXPECT_EQ(integers(x), (std::vector{kHigh, kLow, 65536}));  // the first term is copied
  }
}

TEST(Evaluate, ConstantsFillEveryDtype) {
  const RingDomain ring(2, 1);
  const Value pred = apply(Constant{Rational(1), DType::pred, {3}}, {}, {DType::pred, {3}}, ring);
  EXPECT_EQ(pred.storage, (Storage{4, 2})) << "a ring's predicates are its elements";
  EXPECT_EQ(pred.plane<uint32_t>(1)[2], 1u);
  EXPECT_EQ(integers(apply(Constant{Rational(-5), DType::i32, {2}}, {}, {DType::i32, {2}}, ring)),
            (std::vector{-5, -5}));
  const Value seventh = apply(Constant{Rational(1, 7), DType::f32, {5}}, {}, {DType::f32, {5}}, float_domain());
  for (const float x : seventh.plane<float>(0)) EXPECT_EQ(x, 1.0f / 7);
  const Value empty = apply(Constant{Rational(1), DType::f32, {0, 3}}, {}, {DType::f32, {0, 3}}, ring);
  EXPECT_EQ(empty.bytes(), 0u);
}

TEST(Evaluate, ElementsThatStayInPlaceShareStorage) {
  const Value x = value_of(DType::f32, {2, 1, 3}, {1, 2, 3, 4, 5, 6}, float_domain());
  const auto shares = [&](const OpData& op, Shape shape) {
    const Value y = apply(op, {x}, {DType::f32, shape}, float_domain());
    EXPECT_EQ(y.type.shape, shape);
    return y.data == x.data;
  };
  EXPECT_TRUE(shares(Reshape{{3, 2}}, {3, 2}));
  EXPECT_TRUE(shares(Transpose{{1, 0, 2}}, {1, 2, 3}));  // only the dimension of size 1 moves
  EXPECT_FALSE(shares(Transpose{{2, 1, 0}}, {3, 1, 2}));
  EXPECT_TRUE(shares(Slice{{0, 0, 0}, {2, 1, 3}, {}}, {2, 1, 3}));
  EXPECT_TRUE(shares(BroadcastInDim{{0, 2, 3}, {2, 1, 1, 3}}, {2, 1, 1, 3}));
  EXPECT_FALSE(shares(BroadcastInDim{{1, 2, 3}, {2, 2, 1, 3}}, {2, 2, 1, 3}));
  EXPECT_TRUE(shares(Concatenate{1}, {2, 1, 3}));
  EXPECT_EQ(take_block(x, 0, 0, 1).data, x.data);
}

TEST(Evaluate, OpsOfThePlanNeverComeHere) {
  const Value x = value_of(DType::f32, {2}, {1, 2}, float_domain());
  EXPECT_INTERNAL_ERROR(apply(AllReduce{}, {x}, x.type, float_domain()), "all_reduce is Collective in a Plan");
}

TEST(FloatDomains, ComputeInTheFormatOfTheirName) {
  const Value f32 = value_of(DType::f32, {1}, {0.1}, float_domain());
  EXPECT_EQ(f32.plane<float>(0)[0], 0.1f);
  EXPECT_EQ(value_of(DType::f64, {1}, {0.1}, float_domain()).plane<double>(0)[0], 0.1);
  EXPECT_EQ(value_of(DType::f64, {1}, {0.1}, float_domain(Precision::f32)).plane<float>(0)[0], 0.1f);
  EXPECT_EQ(value_of(DType::f32, {1}, {0.1}, float_domain(Precision::f64)).plane<double>(0)[0], 0.1);
  const TensorType scalar{DType::f32, {}};
  EXPECT_EQ(splat(scalar, Rational(1, 10), float_domain(Precision::f64)).plane<double>(0)[0], 0.1);
  EXPECT_EQ(splat(scalar, Rational(1, 10), float_domain()).plane<float>(0)[0], 0.1f);
  EXPECT_EQ(float_domain().name(), "as written");
  EXPECT_EQ(float_domain(Precision::f32).name(), "f32");
  EXPECT_EQ(float_domain(Precision::f64).name(), "f64");
}

TEST(FloatDomains, TensorsKeepThePrecisionOfTheComputation) {
  const std::vector<float> values = {0.1f, -0.0f, std::numeric_limits<float>::infinity()};
  const Tensor tensor = Tensor::from<float>(DType::f32, {3}, values);
  const Tensor same = to_tensor(from_tensor(tensor, float_domain()), float_domain());
  EXPECT_EQ(same.dtype(), DType::f32);
  EXPECT_EQ(std::memcmp(same.bytes().data(), tensor.bytes().data(), 12), 0);
  const Domain& wide = float_domain(Precision::f64);
  const Tensor widened = to_tensor(from_tensor(tensor, wide), wide);
  EXPECT_EQ(widened.dtype(), DType::f64);
  EXPECT_EQ(widened.as<double>()[0], static_cast<double>(0.1f));
  EXPECT_TRUE(std::signbit(widened.as<double>()[1]));
}

TEST(SameBits, ComparesTypeStorageAndElements) {
  const Value x = value_of(DType::f32, {2}, {0.0, 1}, float_domain());
  EXPECT_TRUE(same_bits(x, value_of(DType::f32, {2}, {0.0, 1}, float_domain())));
  EXPECT_FALSE(same_bits(x, value_of(DType::f32, {2}, {-0.0, 1}, float_domain())));
  EXPECT_FALSE(same_bits(x, value_of(DType::f32, {2}, {0.0, 1}, float_domain(Precision::f64))));
  EXPECT_FALSE(same_bits(x, reshape(x, {2, 1})));
  EXPECT_TRUE(same_bits(zeros({DType::f32, {0}}, float_domain()), zeros({DType::f32, {0}}, float_domain())));
}

TEST(ScalarI32, HoldsIndices) {
  EXPECT_EQ(integers(scalar_i32(-7, float_domain())), std::vector{-7});
  EXPECT_TRUE(scalar_i32(3, float_domain()).type.shape.empty());
}

}  // namespace
}  // namespace isoshard::sim::domains_evaluate_test
