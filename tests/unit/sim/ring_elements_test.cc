// Single elements of rungs A and B, without arrays and devices.
#include "sim/domains/residues/ring_elements.h"

#include <gtest/gtest.h>

#include "sim/domains/residues/lane_primes.h"

namespace isoshard::sim::ring_elements_test {
namespace {

using Element = RingElements::Element;

constexpr size_t kLanes = 2;

/// A ring over the primes of one seed, so that its elements are those of every other one here.
class Ring : public RingElements {
 public:
  explicit Ring(RingOrder order = {}, bool opaque_reciprocals = false)
      : RingElements(draw_lane_primes(kLanes, 7), 7, order, opaque_reciprocals, {}) {}

  Element constant(const char* text) const { return read(*Rational::parse(text), DType::f32); }
  /// An element that is no number.
  Element data(int64_t i) const { return opaque(Opaque::sine, integer(i)); }
};

TEST(RingElements, SmallRationalsAreKnownAndHaveExactFunctions) {
  const Ring ring;
  EXPECT_EQ(ring.number(ring.constant("-3/4")), mpq_class(-3, 4));
  EXPECT_EQ(ring.number(ring.data(0)), std::nullopt);
  EXPECT_EQ(ring.apply(UnaryOp::sqrt, ring.constant("9/4")), ring.constant("3/2"));
  EXPECT_EQ(ring.apply(UnaryOp::floor, ring.constant("-3/4")), ring.constant("-1"));
  EXPECT_EQ(ring.remainder(ring.constant("-7/2"), ring.constant("2")), ring.constant("-3/2"));
  EXPECT_EQ(ring.power(ring.data(0), ring.constant("-2")), ring.reciprocal(ring.product(ring.data(0), ring.data(0))));
}

TEST(RingElements, WhatHasNoMeaningIsNoted) {
  const Ring ring;
  EXPECT_EQ(ring.notes().unrepresentable(), std::nullopt);
  ring.constant("-inf");
  EXPECT_TRUE(ring.notes().unrepresentable().has_value());
  ring.reciprocal(ring.constant("3"));
  EXPECT_EQ(ring.notes().non_units(1), 0u);
  ring.reciprocal(ring.integer(0));
  EXPECT_EQ(ring.notes().non_units(1), 1u);
}

TEST(RingElements, OpaqueReciprocalsAreOddAndThoseOfNumbersExact) {
  const Ring exact, opaque({}, true);
  const Element x = exact.data(0);
  EXPECT_EQ(exact.product(x, exact.reciprocal(x)), exact.integer(1));
  EXPECT_NE(opaque.product(x, opaque.reciprocal(x)), exact.integer(1));
  EXPECT_EQ(opaque.reciprocal(opaque.negated(x)), opaque.negated(opaque.reciprocal(x)));
  EXPECT_EQ(opaque.reciprocal(opaque.integer(2)), opaque.half());
}

TEST(RingElements, MaximaOfSetsDoNotDependOnTheirGroups) {
  const Ring sets(RingOrder{.key = 0, .ties_apart = true, .max_of_sets = true});
  const Ring pairs;
  const auto grouped = [](const Ring& ring, bool left) {
    const auto larger = [&](const Element& x, const Element& y) { return ring.extreme(Extreme::maximum, x, y); };
    const Element a = ring.data(0), b = ring.data(1), c = ring.data(2);
    return left ? larger(larger(a, b), c) : larger(b, larger(c, a));
  };
  EXPECT_EQ(grouped(sets, true), grouped(sets, false));
  EXPECT_NE(grouped(pairs, true), grouped(pairs, false));
  const Element a = sets.data(0), b = sets.data(1);
  EXPECT_EQ(sets.extreme(Extreme::minimum, a, b),
            sets.negated(sets.extreme(Extreme::maximum, sets.negated(a), sets.negated(b))));
}

TEST(RingElements, AHardOrderIsTotal) {
  const Ring ring(RingOrder{.key = 12345});
  const Element a = ring.data(0), b = ring.data(1);
  EXPECT_NE(ring.less(a, b), ring.less(b, a));
  EXPECT_EQ(ring.extreme(Extreme::maximum, a, b), ring.less(a, b) ? b : a);
  EXPECT_EQ(ring.compared(Direction::lt, a, b), ring.integer(ring.less(a, b) ? 1 : 0));
  EXPECT_EQ(ring.product(ring.sign(SignOp::sign, a), a), ring.sign(SignOp::abs, a));
}

}  // namespace
}  // namespace isoshard::sim::ring_elements_test
