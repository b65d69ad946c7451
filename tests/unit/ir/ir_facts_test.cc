// The facts that ops declare (core/ir/op_facts.h) fit what the ops declare elsewhere.
#include <gtest/gtest.h>

#include <string>

#include "core/ir/all_ops.h"

namespace isoshard::ir_facts_test {
namespace {

template <class Visit>
void for_each_op(const Visit& visit) {
  [&]<class... Ops>(const std::variant<Ops...>*) { (visit(Ops{}), ...); }(static_cast<const OpVariant*>(nullptr));
}

TEST(OpFacts, TheOperandThatDecidesWhereAFunctionIsDefinedExists) {
  for_each_op([]<class Op>(const Op& op) {
    const OpFacts facts = facts_of(op);
    const int decides = facts.defined == DefinedWhere::everywhere ? 0 : facts.defined_by + 1;
    EXPECT_TRUE(Op::kOperands < 0 || decides <= Op::kOperands) << Op::kName;
  });
}

TEST(OpFacts, AFunctionThatIsNotDefinedEverywhereIsNoPolynomial) {
  for_each_op([]<class Op>(const Op& op) {
    const OpFacts facts = facts_of(op);
    if (facts.defined == DefinedWhere::everywhere) return;
    EXPECT_TRUE(facts.kind == OpClass::quotient || facts.law != RingLaw::exact) << Op::kName;
  });
}

TEST(OpFacts, LinearRowsOfTheStateTableAreOfOpsThatMoveOrAdd) {
  for_each_op([]<class Op>(const Op& op) {
    const OpClass kind = facts_of(op).kind;
    if (Op::kStates == StateRule::bilinear) {
      EXPECT_TRUE(kind == OpClass::bilinear || kind == OpClass::quotient) << Op::kName;
    } else if (Op::kStates == StateRule::unary_linear || Op::kStates == StateRule::jointly_linear) {
      EXPECT_TRUE(kind == OpClass::linear || kind == OpClass::movement || kind == OpClass::indexed ||
                  kind == OpClass::rounding)
          << Op::kName;
    } else if (Op::kStates == StateRule::nonlinear) {
      EXPECT_TRUE(kind != OpClass::linear && kind != OpClass::movement && kind != OpClass::bilinear) << Op::kName;
    }
  });
}

TEST(OpFacts, OnlyOrdersTellTies) {
  for_each_op([]<class Op>(const Op& op) {
    const OpFacts facts = facts_of(op);
    EXPECT_TRUE(!facts.tells_ties || facts.kind == OpClass::order) << Op::kName;
  });
}

TEST(OpFacts, TheOperationOfAReductionDecides) {
  Reduce reduce;
  for (const Reducer reducer : {Reducer::max, Reducer::min, Reducer::argmax}) {
    reduce.op = reducer;
    EXPECT_EQ(op_facts(reduce).kind, OpClass::order);
  }
  const std::vector<std::pair<Reducer, OpClass>> others{{Reducer::add, OpClass::linear},
                                                        {Reducer::mul, OpClass::bilinear},
                                                        {Reducer::logical_and, OpClass::integer},
                                                        {Reducer::logical_or, OpClass::integer}};
  for (const auto& [reducer, kind] : others) {
    reduce.op = reducer;
    EXPECT_EQ(op_facts(reduce).kind, kind);
  }
}

}  // namespace
}  // namespace isoshard::ir_facts_test
