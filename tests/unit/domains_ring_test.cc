// The ring of rung A: opaque functions, their laws, total division, constants.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "sim/evaluate.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::domains_ring_test {
namespace {

using testing_support::random_ring;
using testing_support::value_of;

constexpr uint32_t kModulus = 2147483647u;

TensorType vector_type(int64_t n) { return {DType::f32, {n}}; }

Value apply(const OpData& op, const std::vector<Value>& operands, const Domain& domain) {
  return evaluate(op, operands, operands.at(0).type, domain);
}

/// A vector whose every element is the constant.
Value constant(const char* text, int64_t n, const Domain& domain) {
  return splat(vector_type(n), *Rational::parse(text), domain);
}

TEST(Ring, OpaqueFunctionsDoNotCollide) {
  const RingDomain ring(2, 7);
  constexpr int64_t kCount = 100000;
  std::vector<double> distinct(kCount);
  for (size_t i = 0; i < distinct.size(); ++i) distinct[i] = static_cast<double>(i) - kCount / 2.0;
  const Value x = value_of(DType::f32, {kCount}, distinct, ring);
  for (const OpData& op : {OpData(Exponential{}), OpData(Logistic{}), OpData(Tanh{})}) {
    const Value y = apply(op, {x}, ring);
    std::set<std::pair<uint32_t, uint32_t>> seen;
    for (size_t i = 0; i < distinct.size(); ++i) seen.emplace(y.plane<uint32_t>(0)[i], y.plane<uint32_t>(1)[i]);
    EXPECT_EQ(seen.size(), distinct.size()) << op_name(op);
  }
}

TEST(Ring, LanesFunctionsAndSeedsAreIndependent) {
  const RingDomain ring(3, 7);
  const RingDomain other(3, 8);
  const Value x = value_of(DType::f32, {1000}, std::vector<double>(1000, 0.25), ring);
  const Value y = apply(Exponential{}, {x}, ring);
  EXPECT_TRUE(same_bits(y, apply(Exponential{}, {x}, ring)));
  EXPECT_NE(y.plane<uint32_t>(0)[0], y.plane<uint32_t>(1)[0]);
  EXPECT_NE(y.plane<uint32_t>(1)[0], y.plane<uint32_t>(2)[0]);
  EXPECT_NE(y.plane<uint32_t>(0)[0], apply(Exponential{}, {x}, other).plane<uint32_t>(0)[0]);
  EXPECT_NE(y.plane<uint32_t>(0)[0], apply(Logistic{}, {x}, ring).plane<uint32_t>(0)[0]);
}

TEST(Ring, AFunctionSeesItsArgumentInAllLanes) {
  const RingDomain ring(2, 7);
  const Value x = random_ring(vector_type(1), 2, 1, "x");
  const Value y = apply(Exponential{}, {x}, ring);
  std::shared_ptr<std::byte> bytes = allocate_aligned(8);
  std::memcpy(bytes.get(), x.data.get(), 8);
  reinterpret_cast<uint32_t*>(bytes.get())[1] ^= 1;  // lane 1 only
  const Value z = apply(Exponential{}, {Value{x.type, x.storage, bytes}}, ring);
  EXPECT_NE(y.plane<uint32_t>(0)[0], z.plane<uint32_t>(0)[0]);
  EXPECT_NE(y.plane<uint32_t>(1)[0], z.plane<uint32_t>(1)[0]);
}

TEST(Ring, LogisticOfZeroIsOneHalfAndTanhOfZeroIsZero) {
  const RingDomain ring(4, 1);
  const Value zero = constant("0", 3, ring);
  EXPECT_TRUE(same_bits(apply(Logistic{}, {zero}, ring), constant("1/2", 3, ring)));
  EXPECT_TRUE(same_bits(apply(Tanh{}, {zero}, ring), zero));
}

TEST(Ring, DivisionByZeroIsAnOpaqueUnitAndIsCounted) {
  const RingDomain ring(2, 3);
  const Value x = value_of(DType::f32, {4}, {6, 0, 2147483647.0, 5}, ring);  // two of them are 0 in the ring
  const Value one = constant("1", 4, ring);
  const Value y = apply(Divide{}, {one, x}, ring);
  EXPECT_EQ(ring.non_units(0), 2u);
  EXPECT_EQ(ring.non_units(1), 2u);
  for (size_t lane = 0; lane < 2; ++lane) {
    EXPECT_NE(y.plane<uint32_t>(lane)[1], 0u);
    EXPECT_EQ(y.plane<uint32_t>(lane)[1], y.plane<uint32_t>(lane)[2]);
  }
  EXPECT_NE(y.plane<uint32_t>(0)[1], y.plane<uint32_t>(1)[1]);
  EXPECT_TRUE(same_bits(y, apply(Divide{}, {one, x}, ring)));
}

TEST(Ring, ANonUnitInOneLaneLeavesTheOthersExact) {
  const RingDomain ring(2, 3);
  std::shared_ptr<std::byte> bytes = allocate_aligned(8);
  reinterpret_cast<uint32_t*>(bytes.get())[0] = 0;
  reinterpret_cast<uint32_t*>(bytes.get())[1] = 2;
  const Value x{vector_type(1), ring.storage(DType::f32), bytes};
  const Value y = apply(Divide{}, {constant("1", 1, ring), x}, ring);
  EXPECT_EQ(ring.non_units(0), 1u);
  EXPECT_EQ(ring.non_units(1), 0u);
  EXPECT_EQ(y.plane<uint32_t>(1)[0], (kModulus + 1) / 2);
}

TEST(Ring, RationalConstantsAreExact) {
  const RingDomain ring(2, 3);
  const Value three = constant("3", 2, ring);
  const auto times_three = [&](const char* text) { return apply(Multiply{}, {three, constant(text, 2, ring)}, ring); };
  EXPECT_TRUE(same_bits(times_three("1/3"), constant("1", 2, ring)));
  EXPECT_FALSE(same_bits(times_three("0.333333343"), constant("1", 2, ring)));
  EXPECT_TRUE(same_bits(constant("-0.1", 2, ring), apply(Negate{}, {constant("1/10", 2, ring)}, ring)));
  EXPECT_FALSE(ring.unrepresentable());
}

TEST(Ring, ConstantsMayBeReadAsOthers) {
  ConstantReadings readings;
  readings.set(*Rational::parse("0.353553385"), DType::f32, square_root(Rational(1, 8)));
  const RingDomain ring(2, 3, {}, false, readings);
  const Value root = constant("0.353553385", 2, ring);
  EXPECT_TRUE(same_bits(root, apply(Rsqrt{}, {constant("8", 2, ring)}, ring)));
}

TEST(Ring, RootsAreRootsWhereTheFieldHasThem) {
  const RingDomain ring(2, 3);
  const auto root = [&](const char* text) { return apply(Sqrt{}, {constant(text, 2, ring)}, ring); };
  const Value eighth_root = root("1/8");  // 2 is a square modulo 2^31 - 1
  EXPECT_TRUE(same_bits(apply(Multiply{}, {eighth_root, eighth_root}, ring), constant("1/8", 2, ring)));
  const Value two_roots = apply(Multiply{}, {root("2"), eighth_root}, ring);
  EXPECT_TRUE(same_bits(two_roots, constant("1/2", 2, ring)));
}

TEST(Ring, OtherRootsAreOpaqueButMultiply) {
  const RingDomain ring(2, 3);
  const auto root = [&](const char* text) { return apply(Sqrt{}, {constant(text, 2, ring)}, ring); };
  const Value root_three = root("3");  // 3 is not a square
  EXPECT_FALSE(same_bits(apply(Multiply{}, {root_three, root_three}, ring), constant("3", 2, ring)));
  EXPECT_TRUE(same_bits(apply(Multiply{}, {root_three, root("2")}, ring), root("6")));
  EXPECT_TRUE(same_bits(apply(Multiply{}, {root_three, root("1/3")}, ring), constant("1", 2, ring)));
  EXPECT_NE(root_three.plane<uint32_t>(0)[0], root_three.plane<uint32_t>(1)[0]);
}

TEST(Ring, InfinityAndNanAreReported) {
  for (const char* text : {"inf", "-inf", "nan", "1/2147483647"}) {
    const RingDomain ring(2, 3);
    splat(TensorType{DType::f64, {2}}, *Rational::parse(text), ring);
    constant("nan", 2, ring);  // the first one is kept
    ASSERT_TRUE(ring.unrepresentable()) << text;
    EXPECT_EQ(*ring.unrepresentable(), *Rational::parse(text));
  }
  const RingDomain ring(2, 3);
  value_of(DType::f32, {2}, {1, std::numeric_limits<double>::infinity()}, ring);
  ASSERT_TRUE(ring.unrepresentable());
  EXPECT_EQ(*ring.unrepresentable(), Rational::infinity(false));
}

TEST(Ring, DoublesEnterExactly) {
  const RingDomain ring(2, 3);
  const std::vector<double> values = {0.1, -0.1, 1e300, -5e-324, 12345.678, -0.0, 4503599627370497.5, 1};
  const Value x = value_of(DType::f64, {8}, values, ring);
  for (size_t i = 0; i < values.size(); ++i) {
    const mpq_class exact(values[i]);
    const mpz_class p(kModulus);
    const mpz_class back = mpz_class(x.plane<uint32_t>(1)[i]) * exact.get_den() - exact.get_num();
    EXPECT_EQ(mpz_class(back % p), 0) << values[i];
  }
}

TEST(Ring, TensorsOfResiduesHaveALeadingDimensionOfLanes) {
  const RingDomain ring(3, 3);
  const Tensor tensor = to_tensor(constant("-1", 5, ring), ring);
  EXPECT_EQ(tensor.dtype(), DType::i32);
  EXPECT_EQ(tensor.shape(), (Shape{3, 5}));
  EXPECT_EQ(tensor.as<int32_t>()[14], 2147483646);
}

TEST(Ring, RandomResiduesAreUniformPerLaneAndFixedByTheirName) {
  const TensorType type = vector_type(100000);
  const Value x = random_ring(type, 2, 11, "W");
  EXPECT_TRUE(same_bits(x, random_ring(type, 2, 11, "W")));
  EXPECT_FALSE(same_bits(x, random_ring(type, 2, 12, "W")));
  EXPECT_FALSE(same_bits(x, random_ring(type, 2, 11, "W1")));
  double mean[2] = {0, 0};
  double product = 0;
  for (size_t i = 0; i < 100000; ++i) {
    const double a = x.plane<uint32_t>(0)[i] / 2147483647.0 - 0.5;
    const double b = x.plane<uint32_t>(1)[i] / 2147483647.0 - 0.5;
    mean[0] += a / 1e5;
    mean[1] += b / 1e5;
    product += a * b / 1e5;
    ASSERT_LT(x.plane<uint32_t>(1)[i], kModulus);
  }
  EXPECT_LT(std::fabs(mean[0]), 6 * 0.289 / 316);
  EXPECT_LT(std::fabs(mean[1]), 6 * 0.289 / 316);
  EXPECT_LT(std::fabs(product), 6 * 0.0834 / 316);
}

}  // namespace
}  // namespace isoshard::sim::domains_ring_test
