// The ring of rung A: opaque functions, their laws, total division, constants.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "sim/domains/prime_field.h"
#include "sim/evaluate/evaluate.h"
#include "sim/value/new_value.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::domains_ring_test {
namespace {

using testing_support::random_ring;
using testing_support::value_of;

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

TEST(Ring, LanesHaveRandomPrimesOfTheirOwn) {
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const RingDomain ring(8, seed);
    EXPECT_TRUE(ring.moduli() == RingDomain(8, seed).moduli());
    std::set<uint64_t> own;
    for (size_t l = 0; l < 8; ++l) {
      const uint64_t p = ring.modulus(l);
      own.insert(p);
      EXPECT_GE(p, kLeastLanePrime);
      EXPECT_EQ(p % 24, 23u);
      EXPECT_GT(mpz_probab_prime_p(mpz_class(static_cast<unsigned long>(p)).get_mpz_t(), 25), 0) << p;
      EXPECT_EQ(p >> 31, 0u);
    }
    EXPECT_EQ(own.size(), 8u);
    seen.insert(own.begin(), own.end());
  }
  EXPECT_GT(seen.size(), 150u) << "160 of 98,000";
}

TEST(Ring, PrimesDoNotDivideWhatMustBeAUnit) {
  const std::vector<Mod31> drawn = draw_lane_primes(3, 5);
  const std::vector<mpz_class> units{0, mpz_class(static_cast<unsigned long>(drawn[1].modulus())) * 12};
  const std::vector<Mod31> others = draw_lane_primes(3, 5, units);
  EXPECT_TRUE(drawn[0] == others[0]);
  EXPECT_TRUE(drawn[2] == others[1]);
  EXPECT_FALSE(drawn[1] == others[2]);
}

/// What is 1 or a small number modulo 2^31 - 1 is not that in any lane.
TEST(Ring, PowersOfTwoAreNoSmallNumbers) {
  const RingDomain ring(2, 7);
  const Value one = constant("1", 1, ring);
  for (const char* text : {"2147483648", "1/2147483648", "2147483650", "4611686018427387904"}) {
    const Value x = constant(text, 1, ring);
    for (size_t l = 0; l < 2; ++l) EXPECT_NE(x.plane<uint32_t>(l)[0], one.plane<uint32_t>(l)[0]) << text;
    EXPECT_FALSE(ring.is_number(1, x.data.get(), 0)) << text;
  }
  const Value floor = apply(Floor{}, {constant("2147483649.5", 1, ring)}, ring);
  EXPECT_FALSE(same_bits(floor, constant("2", 1, ring)));
  const Value root = apply(Sqrt{}, {constant("2147483651", 1, ring)}, ring);
  EXPECT_FALSE(same_bits(root, constant("2", 1, ring)));
}

TEST(Ring, SmallNumbersAreKnown) {
  const RingDomain ring(3, 7);
  const auto known = [&](const char* text) { return ring.is_number(1, constant(text, 1, ring).data.get(), 0); };
  for (const char* text : {"0", "-1", "16777215", "-16777215", "1/2", "-999/1", "1/999", "-1/999", "31/32", "-7/142"}) {
    EXPECT_TRUE(known(text)) << text;
  }
  for (const char* text : {"16777216", "1/1000", "32/33", "-7/143", "16777215.5"}) EXPECT_FALSE(known(text)) << text;
  const Value floor = apply(Floor{}, {constant("-7/142", 1, ring)}, ring);
  EXPECT_TRUE(same_bits(floor, constant("-1", 1, ring)));
}

TEST(Ring, LogisticOfZeroIsOneHalfAndTanhOfZeroIsZero) {
  const RingDomain ring(4, 1);
  const Value zero = constant("0", 3, ring);
  EXPECT_TRUE(same_bits(apply(Logistic{}, {zero}, ring), constant("1/2", 3, ring)));
  EXPECT_TRUE(same_bits(apply(Tanh{}, {zero}, ring), zero));
}

TEST(Ring, DivisionByZeroIsAnOpaqueUnitAndIsCounted) {
  const RingDomain ring(2, 3);
  const auto zero = static_cast<double>(ring.modulus(0));
  const Value x = value_of(DType::f32, {4}, {6, 0, zero, 5}, ring);
  ASSERT_NE(x.plane<uint32_t>(1)[2], 0u) << "a multiple of the prime of lane 0 is none of that of lane 1";
  const Value one = constant("1", 4, ring);
  const Value y = apply(Divide{}, {one, x}, ring);
  EXPECT_EQ(ring.non_units(0), 2u);
  EXPECT_EQ(ring.non_units(1), 1u);
  for (size_t lane = 0; lane < 2; ++lane) {
    EXPECT_NE(y.plane<uint32_t>(lane)[1], 0u);
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
  EXPECT_EQ(y.plane<uint32_t>(1)[0], (ring.modulus(1) + 1) / 2);
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
  const Value eighth_root = root("1/8");  // 2 and 3 are squares modulo all primes
  EXPECT_TRUE(same_bits(apply(Multiply{}, {eighth_root, eighth_root}, ring), constant("1/8", 2, ring)));
  const Value two_roots = apply(Multiply{}, {root("2"), eighth_root}, ring);
  EXPECT_TRUE(same_bits(two_roots, constant("1/2", 2, ring)));
  EXPECT_TRUE(same_bits(apply(Multiply{}, {root("3"), root("12")}, ring), constant("6", 2, ring)));
}

TEST(Ring, OtherRootsAreOpaqueButMultiply) {
  const RingDomain ring(2, 3);
  const auto root = [&](const char* text) { return apply(Sqrt{}, {constant(text, 2, ring)}, ring); };
  const Value seven = constant("7", 2, ring), root_seven = root("7");
  const Value square = apply(Multiply{}, {root_seven, root_seven}, ring);
  for (size_t lane = 0; lane < 2; ++lane) {  // 7 is a square in half of the fields
    const PrimeField field(ring.modulus(lane));
    EXPECT_EQ(square.plane<uint32_t>(lane)[0] == seven.plane<uint32_t>(lane)[0], field.square_root(7).has_value());
  }
  EXPECT_TRUE(same_bits(apply(Multiply{}, {root_seven, root("2")}, ring), root("14")));
  EXPECT_TRUE(same_bits(apply(Multiply{}, {root_seven, root("1/7")}, ring), constant("1", 2, ring)));
  EXPECT_NE(root_seven.plane<uint32_t>(0)[0], root_seven.plane<uint32_t>(1)[0]);
}

TEST(Ring, InfinityAndNanAreReported) {
  const std::string vanishing = "1/" + std::to_string(RingDomain(2, 3).modulus(1));
  for (const std::string& text : {std::string("inf"), std::string("-inf"), std::string("nan"), vanishing}) {
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
    const mpz_class p(static_cast<unsigned long>(ring.modulus(1)));
    const mpz_class back = mpz_class(x.plane<uint32_t>(1)[i]) * exact.get_den() - exact.get_num();
    EXPECT_EQ(mpz_class(back % p), 0) << values[i];
  }
}

TEST(Ring, TensorsOfResiduesHaveALeadingDimensionOfLanes) {
  const RingDomain ring(3, 3);
  const Tensor tensor = to_tensor(constant("-1", 5, ring), ring);
  EXPECT_EQ(tensor.dtype(), DType::i32);
  EXPECT_EQ(tensor.shape(), (Shape{3, 5}));
  EXPECT_EQ(tensor.as<int32_t>()[14], static_cast<int32_t>(ring.modulus(2) - 1));
}

TEST(Ring, RandomResiduesAreUniformPerLaneAndFixedByTheirWords) {
  const RingDomain ring(2, 3);
  const KeyedHash stream(11, 12);
  const auto drawn = [&](uint64_t first) {
    NewValue made(vector_type(100000), ring.storage(DType::f32));
    ring.random(
        100000, [&](size_t lane, uint64_t i) { return stream.with(first + 2 * i + lane); }, made.data.get());
    return std::move(made).finish();
  };
  const Value x = drawn(0);
  EXPECT_TRUE(same_bits(x, drawn(0)));
  EXPECT_FALSE(same_bits(x, drawn(200000)));
  double mean[2] = {0, 0};
  double product = 0;
  for (size_t i = 0; i < 100000; ++i) {
    const double a = x.plane<uint32_t>(0)[i] / static_cast<double>(ring.modulus(0)) - 0.5;
    const double b = x.plane<uint32_t>(1)[i] / static_cast<double>(ring.modulus(1)) - 0.5;
    mean[0] += a / 1e5;
    mean[1] += b / 1e5;
    product += a * b / 1e5;
    ASSERT_LT(x.plane<uint32_t>(1)[i], ring.modulus(1));
  }
  EXPECT_LT(std::fabs(mean[0]), 6 * 0.289 / 316);
  EXPECT_LT(std::fabs(mean[1]), 6 * 0.289 / 316);
  EXPECT_LT(std::fabs(product), 6 * 0.0834 / 316);
}

}  // namespace
}  // namespace isoshard::sim::domains_ring_test
