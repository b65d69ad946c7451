// Which conditions of an element of the sharded program follow from those of the reference's.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "sim/domains/residues/ring_a.h"
#include "sim/domains/undefined/undefined_domain.h"
#include "sim/domains/undefined/undefined_sets.h"
#include "sim/evaluate/evaluate.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::undefined_sets_test {
namespace {

using Set = UndefinedSets::Set;
using Element = UndefinedSets::Element;

class UndefinedSetsTest : public ::testing::Test {
 protected:
  Element element(uint64_t a) { return sets_.element(std::vector<uint64_t>{a, a + 1}); }
  /// A quotient numerator / x.
  Set over(Element x, Element quotient = 0) {
    return sets_.failing(sets_.factor(x, UndefinedSets::kNonzero), UndefinedSets::kNonzero, true, quotient);
  }
  /// A root of x.
  Set root(Element x) {
    return sets_.failing(sets_.factor(x, UndefinedSets::kNonnegative), UndefinedSets::kNonnegative, false, 0);
  }
  bool follows(Set sharded, Set reference) { return sets_.missing(sharded, reference).empty(); }

  UndefinedSets sets_{{PrimeField(1000003), PrimeField(1000033)}};
  Element x_ = element(5), y_ = element(7), p_ = element(11), q_ = element(13);
};

TEST_F(UndefinedSetsTest, ConditionsAreNamedByTheirElements) {
  EXPECT_TRUE(follows(over(x_), sets_.unite(over(y_), over(x_))));
  EXPECT_TRUE(follows(0, over(x_)));
  EXPECT_FALSE(follows(over(x_), over(y_)));
  EXPECT_FALSE(follows(over(x_), root(x_)));
  EXPECT_TRUE(follows(over(x_, y_), over(x_, q_))) << "an infinity is no number, whatever it is of";
  EXPECT_EQ(sets_.missing(sets_.unite(over(x_), root(y_)), root(y_)),
            (std::vector<UndefinedSets::Missing>{{x_, UndefinedSets::kNonzero}}));
}

TEST_F(UndefinedSetsTest, ASelectKeepsWhereItsPredicateHolds) {
  const Set chosen = sets_.chosen(p_, root(x_), 0);
  EXPECT_TRUE(follows(chosen, root(x_)));
  EXPECT_FALSE(follows(root(x_), chosen));
  EXPECT_TRUE(follows(chosen, sets_.chosen(sets_.complement(p_), 0, root(x_))));
  EXPECT_FALSE(follows(chosen, sets_.chosen(q_, root(x_), 0))) << "dropped by another predicate";
  EXPECT_EQ(sets_.guarded(sets_.guarded(root(x_), p_), q_), sets_.guarded(root(x_), sets_.product(p_, q_)));
  EXPECT_EQ(sets_.chosen(p_, root(x_), root(x_)), root(x_));
}

TEST_F(UndefinedSetsTest, FunctionsDropInfinitiesButNotNan) {
  EXPECT_EQ(sets_.through(3, y_, root(x_)), root(x_));
  const Set dropped = sets_.through(3, y_, over(x_));
  EXPECT_TRUE(follows(dropped, dropped));
  EXPECT_TRUE(follows(dropped, over(x_))) << "it has no value only where the operand has none";
  EXPECT_FALSE(follows(over(x_), dropped)) << "exp(-inf) is 0";
  EXPECT_FALSE(follows(dropped, sets_.through(4, y_, over(x_))));
  EXPECT_FALSE(follows(sets_.through(3, y_, sets_.scaled(over(x_), q_)), dropped)) << "infinity times what may be 0";
}

TEST_F(UndefinedSetsTest, MaximaOfMaximaAreMaxima) {
  const auto maximum = [&](std::vector<std::pair<Element, Set>> of) { return sets_.of_extreme(0, of); };
  const Element z = element(17), xy = element(19), yz = element(23);
  const Set xy_set = maximum({{x_, over(x_)}, {y_, over(y_)}}), yz_set = maximum({{y_, over(y_)}, {z, over(z)}});
  EXPECT_EQ(maximum({{xy, xy_set}, {z, over(z)}}), maximum({{x_, over(x_)}, {yz, yz_set}}));
  EXPECT_NE(maximum({{xy, xy_set}, {z, over(z)}}), xy_set);
}

TEST_F(UndefinedSetsTest, ComparisonsHaveSomeAnswer) {
  const std::array<std::pair<Element, Set>, 2> operands{{{x_, root(x_)}, {q_, 0}}};
  const Set less = sets_.decided(1, operands), at_most = sets_.decided(2, operands);
  EXPECT_FALSE(follows(at_most, less)) << "nan <= q is not the opposite of nan > q";
  EXPECT_TRUE(follows(less, root(x_)));
  EXPECT_FALSE(follows(root(x_), less));
}

TEST_F(UndefinedSetsTest, ProductsFailWhereAFactorDoes) {
  const Set factors = sets_.unite(sets_.factor(x_, UndefinedSets::kNonzero), sets_.factor(y_, UndefinedSets::kNonzero));
  EXPECT_EQ(sets_.conditions(factors), 0U) << "until something is divided by them";
  EXPECT_TRUE(follows(sets_.failing(factors, UndefinedSets::kNonzero, true, 0), sets_.unite(over(x_), over(y_))));
  EXPECT_EQ(sets_.failing(factors, UndefinedSets::kNonnegative, false, 0), 0U);
}

TEST_F(UndefinedSetsTest, WhatMustBePositive) {
  const Set logarithm = sets_.unite(root(x_), over(x_));
  const Set joint = sets_.failing(sets_.factor(x_, UndefinedSets::kNonnegative | UndefinedSets::kNonzero),
                                  UndefinedSets::kNonzero, true, 0);
  EXPECT_EQ(sets_.positive(sets_.unite(logarithm, joint)), std::set<Element>{x_});
  EXPECT_TRUE(sets_.positive(root(x_)).empty());
  EXPECT_TRUE(sets_.positive(sets_.guarded(logarithm, p_)).empty());
}

/// z x / x is z, but is_finite sees that it has no value where x is 0, and has one there itself.
TEST(UndefinedDomainTest, TellsWhetherFiniteIsAFunctionOfElements) {
  UndefinedDomain domain(std::make_unique<RingDomain>(2, 5));
  domain.see_undefined();
  const TensorType type{DType::f64, {4}}, predicates{DType::pred, {4}};
  const auto input = [&](const char* name) { return domain.with_sets(testing_support::random_ring(type, 2, 1, name)); };
  const auto finite = [&](const Value& v) { return evaluate(IsFinite{}, std::vector{v}, predicates, domain); };
  const Value x = domain.marked(input("x"), UndefinedSets::kNonzero), z = input("z");
  const Value product = evaluate(Multiply{}, std::vector{z, x}, type, domain);
  const Value quotient = evaluate(Divide{}, std::vector{product, x}, type, domain);
  EXPECT_NE(domain.sets_of(quotient), std::vector<Set>(4, 0));
  EXPECT_EQ(domain.sets_of(finite(quotient)), std::vector<Set>(4, 0));
  EXPECT_EQ(domain.sets_of(finite(x)), std::vector<Set>(4, 0));
  EXPECT_TRUE(domain.sees_alike());
  finite(z);
  EXPECT_FALSE(domain.sees_alike());
}

/// nan >= q and nan < q are both false: no law of comparisons holds where an operand may have no value.
TEST(UndefinedDomainTest, ComparisonsOfWhatHasNoValueAreAnyFunctionsOfIt) {
  UndefinedDomain domain(std::make_unique<RingDomain>(2, 5));
  const TensorType type{DType::f64, {4}}, predicates{DType::pred, {4}};
  const auto input = [&](const char* name) { return domain.with_sets(testing_support::random_ring(type, 2, 1, name)); };
  const auto compare = [&](Direction direction, const Value& a, const Value& b) {
    return domain.without_sets(evaluate(Compare{direction}, std::vector{a, b}, predicates, domain));
  };
  const auto negation = [&](const Value& p) { return evaluate(Not{}, std::vector{p}, predicates, domain.inside()); };
  const Value q = input("q"), z = input("z"), known = compare(Direction::ge, z, q);
  const Value root = evaluate(Sqrt{}, std::vector{domain.marked(z, UndefinedSets::kNonnegative)}, type, domain);
  EXPECT_TRUE(same_bits(negation(compare(Direction::lt, root, q)), compare(Direction::ge, root, q)));
  domain.see_undefined();
  EXPECT_TRUE(same_bits(known, compare(Direction::ge, z, q))) << "where all have values laws hold";
  EXPECT_FALSE(same_bits(negation(compare(Direction::lt, root, q)), compare(Direction::ge, root, q)));
  EXPECT_TRUE(same_bits(compare(Direction::le, q, root), compare(Direction::ge, root, q)));
  EXPECT_TRUE(same_bits(negation(compare(Direction::ne, q, root)), compare(Direction::eq, root, q)));
  EXPECT_EQ(domain.sets_of(evaluate(Compare{Direction::ge}, std::vector{root, q}, predicates, domain)),
            std::vector<Set>(4, 0));
  EXPECT_TRUE(domain.sees_alike());
}

}  // namespace
}  // namespace isoshard::sim::undefined_sets_test
