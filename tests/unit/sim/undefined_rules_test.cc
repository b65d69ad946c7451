// What ops on single elements do with the conditions of their operands, without a ring and without arrays.
#include "sim/domains/undefined/undefined_rules.h"

#include <gtest/gtest.h>

#include <vector>

namespace isoshard::sim::undefined_rules_test {
namespace {

using Element = UndefinedRules::Element;
using Set = UndefinedRules::Set;

class UndefinedRulesTest : public ::testing::Test {
 protected:
  Element element(uint64_t x) { return sets_.element(std::vector<uint64_t>{x}); }
  Set unary(UnaryOp op, Set set, uint64_t x) {
    return rules_.unary(op, set, [&] { return element(x); });
  }

  UndefinedSets sets_{{PrimeField(1000003)}};
  UndefinedRules rules_{sets_};
};

TEST_F(UndefinedRulesTest, APartialFunctionLooksAtWhatIsMarkedOnly) {
  const Set marked = sets_.factor(element(5), UndefinedSets::kNonnegative | UndefinedSets::kNonzero);
  EXPECT_EQ(unary(UnaryOp::log, 0, 5), 0u);
  EXPECT_EQ(sets_.conditions(unary(UnaryOp::exponential, marked, 5)), 0u);
  const Set failed = unary(UnaryOp::log, marked, 5);
  EXPECT_NE(sets_.conditions(failed), 0u);
  EXPECT_EQ(unary(UnaryOp::log, marked, 5), failed) << "one name for one condition";
  EXPECT_NE(unary(UnaryOp::sqrt, marked, 5), failed);
}

TEST_F(UndefinedRulesTest, ADenominatorMayBeZeroAndAProductKeepsThat) {
  const Set marked = sets_.factor(element(7), UndefinedSets::kNonzero);
  const Set quotient = sets_.conditions(rules_.binary(BinaryOp::divide, {element(2), 0}, {element(7), marked}));
  EXPECT_NE(quotient, 0u);
  EXPECT_EQ(rules_.binary(BinaryOp::divide, {element(2), 0}, {element(3), 0}), 0u);
  EXPECT_EQ(sets_.conditions(rules_.binary(BinaryOp::multiply, {element(2), 0}, {element(7), marked})), 0u);
  const Set sum = rules_.binary(BinaryOp::add, {element(2), quotient}, {element(4), 0});
  EXPECT_EQ(sum, quotient);
  EXPECT_NE(rules_.product({element(2), quotient}, {element(3), 0}), 0u);
}

TEST_F(UndefinedRulesTest, AComparisonIsTheSameFromEitherSide) {
  const Set marked = sets_.factor(element(7), UndefinedSets::kNonzero);
  const Set x = sets_.conditions(rules_.binary(BinaryOp::divide, {element(2), 0}, {element(7), marked}));
  const Element difference = element(11);
  EXPECT_EQ(rules_.compared(Direction::lt, difference, x, 0),
            rules_.compared(Direction::gt, sets_.negative(difference), 0, x));
  EXPECT_NE(rules_.compared(Direction::lt, difference, x, 0), rules_.compared(Direction::gt, difference, x, 0));
  EXPECT_EQ(rules_.logic(Logic::conjunction, {element(1), x}, {element(3), 0}),
            rules_.logic(Logic::conjunction, {element(3), 0}, {element(1), x}));
}

}  // namespace
}  // namespace isoshard::sim::undefined_rules_test
