// Single elements of rung E: what they are, their functions and their order, without arrays and devices.
#include "sim/domains/tower/tower_elements.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/domains/tower/tower_functions.h"
#include "sim/domains/tower/tower_order.h"
#include "sim/domains/tower/tower_sinusoids.h"

namespace isoshard::sim::tower_elements_test {
namespace {

using Element = TowerElement;

class TowerElementsTest : public ::testing::Test {
 protected:
  static constexpr size_t kLanes = 2;

  Element constant(const char* text) const { return functions_.read(*Rational::parse(text), DType::f32); }
  /// A residue that is no number.
  Element data(int64_t i) const { return ring_.opaque(Opaque::identity, ring_.integer(i)); }
  Element unary(UnaryOp op, const Element& x) const { return functions_.apply(op, x); }
  Element binary(BinaryOp op, const Element& x, const Element& y) const { return functions_.apply(op, x, y); }

  TowerOptions options_{};
  TowerElements ring_{kLanes, 3, options_};
  TowerFunctions functions_{ring_, options_};
  TowerOrder order_{functions_};
};

TEST_F(TowerElementsTest, NumbersStayNumbersUntilTheyMeetData) {
  const Element sum = ring_.sum(constant("1/3"), constant("1/6"));
  ASSERT_TRUE(ring_.is_number(sum));
  EXPECT_EQ(ring_.value(sum), mpq_class(1, 2));
  EXPECT_TRUE(ring_.is_plain(ring_.sum(sum, data(0))));
  EXPECT_TRUE(ring_.is_zero(ring_.difference(data(0), data(0))));
  EXPECT_TRUE(ring_.is_plain(ring_.met(constant("9999"), true)));
  EXPECT_EQ(ring_.form(ring_.met(constant("-1e9"), true)).c, mpq_class(-1000000000));
}

TEST_F(TowerElementsTest, LogarithmsAreSumsOfWhatTheyAreOf) {
  const Element x = data(0), y = data(1);
  const Element both = ring_.sum(ring_.plus_log(Element{}, x.a), ring_.plus_log(Element{}, y.a));
  EXPECT_FALSE(ring_.is_plain(both));
  EXPECT_TRUE(ring_.same(both, ring_.plus_log(Element{}, ring_.product(x, y).a)));
  EXPECT_TRUE(ring_.same(ring_.raised(both, 1), ring_.product(x, y)));
  EXPECT_TRUE(ring_.same(ring_.without_infinity(ring_.sum(both, ring_.infinity(3))), both));
}

TEST_F(TowerElementsTest, FunctionsInvertEachOther) {
  const Element x = data(0), y = data(1);
  EXPECT_TRUE(ring_.same(unary(UnaryOp::log, unary(UnaryOp::exponential, x)), x));
  EXPECT_TRUE(ring_.same(binary(BinaryOp::multiply, binary(BinaryOp::divide, x, y), y), x));
  EXPECT_TRUE(ring_.same(unary(UnaryOp::sqrt, constant("9/4")), constant("3/2")));
  EXPECT_TRUE(ring_.same(unary(UnaryOp::exponential, constant("-inf")), ring_.integer(0)));
  EXPECT_EQ(ring_.notes().unrepresentable(), std::nullopt);
  constant("nan");
  EXPECT_TRUE(ring_.notes().unrepresentable().has_value());
}

TEST_F(TowerElementsTest, OrderIsThatOfInfinitiesThenSoft) {
  const Element x = data(0), y = data(1), low = constant("-inf");
  EXPECT_TRUE(ring_.same(order_.compared(Direction::gt, x, low), ring_.integer(1)));
  EXPECT_TRUE(ring_.same(order_.compared(Direction::lt, constant("1/3"), constant("1/2")), ring_.integer(1)));
  const Element above = order_.compared(Direction::gt, x, y);
  EXPECT_TRUE(ring_.is_plain(above));
  EXPECT_TRUE(ring_.same(order_.chosen(above, x, y), ring_.sum(y, ring_.product(above, ring_.difference(x, y)))));
  EXPECT_TRUE(ring_.same(order_.extreme(Extreme::maximum, x, y), order_.extreme(Extreme::maximum, y, x)));
  EXPECT_TRUE(ring_.same(order_.sign(SignOp::abs, constant("-5")), ring_.integer(5)));
  const Element kept = unary(UnaryOp::exponential, order_.chosen(above, x, low));
  EXPECT_TRUE(ring_.same(kept, ring_.product(above, unary(UnaryOp::exponential, x))));
  EXPECT_EQ(ring_.notes().undecided(), "");
}

TEST(TowerSinusoids, AreOnTheCircleWhereTheyAreExponentials) {
  TowerOptions options{};
  options.by_exponentials = true;
  const TowerElements ring(2, 3, options);
  const TowerSinusoids exact(ring, true), opaque(ring, false);
  const Element x = ring.opaque(Opaque::identity, ring.integer(7));
  const auto squares = [&](const TowerSinusoids& sinusoids) {
    const Element s = sinusoids.sine(x), c = sinusoids.cosine(x);
    return ring.sum(ring.product(s, s), ring.product(c, c));
  };
  EXPECT_FALSE(ring.is_number(squares(exact)));
  EXPECT_TRUE(ring.is_number(exact.seen(squares(exact))));
  EXPECT_TRUE(ring.same(squares(exact), ring.integer(1)));
  EXPECT_FALSE(ring.same(squares(opaque), ring.integer(1)));
  EXPECT_TRUE(ring.same(opaque.sine(ring.negated(x)), ring.negated(opaque.sine(x))));
}

TEST(OpaqueTowers, AreKeyedFunctionsOfOneComponentInAllLanes) {
  const std::vector<PrimeField> fields{PrimeField(1000003), PrimeField(1000033), PrimeField(999983),
                                       PrimeField(999979)};
  const auto value = [&](uint64_t seed, Opaque function, const TowerResidues& x) {
    const OpaqueTowers functions(fields, 2, seed);
    KeyedHash hash = functions.begin(function);
    functions.absorb_component(x, 0, hash);
    TowerResidues result{};
    functions.close(hash, 0, fields.size(), result);
    return result;
  };
  const TowerResidues x{1, 2, 3, 4}, other_lane{1, 5, 3, 4}, other_component{1, 2, 3, 5};
  const TowerResidues y = value(1, Opaque::sine, x);
  for (size_t r = 0; r < fields.size(); ++r) {
    EXPECT_GE(y[r], 2u);
    EXPECT_LT(y[r], fields[r].modulus());
  }
  EXPECT_EQ(y, value(1, Opaque::sine, other_component));
  EXPECT_NE(y[0], value(1, Opaque::sine, other_lane)[0]);
  EXPECT_NE(y, value(1, Opaque::cosine, x));
  EXPECT_NE(y, value(2, Opaque::sine, x));
}

}  // namespace
}  // namespace isoshard::sim::tower_elements_test
