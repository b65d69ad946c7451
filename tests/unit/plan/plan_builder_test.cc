// Calls that are copied: what a copy shares and what is its own, and which calls are no copies of each other.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/plan/passes/plan_builder.h"
#include "core/plan/verify/verify_plan.h"

namespace isoshard::plan_builder_test {
namespace {

using Ids = std::vector<PlanValueId>;

class CopiedCalls : public ::testing::Test {
 protected:
  PlanValueId constant(const std::string& name) {
    return b_.local(Constant{Rational(1), DType::f32, {4}}, {}, kType, name);
  }
  /// The call of a function that adds its two arguments and negates the sum.
  WrittenCall written(const Ids& arguments) {
    WrittenCall call = b_.begin_call(arguments);
    const PlanValueId sum = b_.local(Add{}, arguments, kType, "2F7.sum");
    b_.end_call(call, {b_.local(Negate{}, {sum}, kType, "y")});
    return call;
  }
  static PlanAction action(int64_t stage, int64_t micro_batch) {
    return {0, {stage, schedule::ActionKind::forward, micro_batch}};
  }

  const TensorType kType{DType::f32, {4}};
  PlanBuilder b_{std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 2}}), "p"};
  const PlanValueId a_ = constant("a"), c_ = constant("c");
};

TEST_F(CopiedCalls, HaveTheirOwnArgumentsAndNames) {
  b_.begin_action(action(2, 7));
  const WrittenCall call = written({a_, c_});
  const Ids swapped{c_, a_};
  ASSERT_TRUE(PlanBuilder::may_copy(call, swapped));
  b_.begin_action(action(10, 123));
  const Ids results = b_.copy_call(call, swapped);
  b_.end_action();
  b_.store(results.at(0), b_.add_output("y", kType), {Expr(0)}, {1});
  const Plan plan = b_.finish();
  EXPECT_TRUE(verify_plan(plan).empty());
  const Instruction first = plan.instructions[2], copy = plan.instructions[4];
  EXPECT_EQ(Ids(first.operands), (Ids{a_, c_}));
  EXPECT_EQ(Ids(copy.operands), (Ids{c_, a_}));
  EXPECT_EQ(&copy.data(), &first.data()) << "what they do is shared";
  EXPECT_EQ(plan.value(first.results[0]).name(), "2F7.sum");
  EXPECT_EQ(plan.value(copy.results[0]).name(), "10F123.sum");
  EXPECT_EQ(plan.value(results[0]).name(), "y") << "which has no action in front";
  EXPECT_EQ(plan.instructions[5].operands, copy.results);
  EXPECT_EQ(plan.action(first.action), action(2, 7));
  EXPECT_EQ(plan.action(copy.action), action(10, 123));
}

TEST_F(CopiedCalls, KeepWhatIsChangedForThemselves) {
  const WrittenCall call = written({a_, c_});
  b_.copy_call(call, {c_, a_});
  Plan plan = b_.finish();
  plan.instructions.change(InstructionId(4), [](NewInstruction& copy) { copy.own_data() = LocalOp{Subtract{}}; });
  EXPECT_TRUE(std::holds_alternative<Add>(std::get<LocalOp>(plan.instructions[2].data()).op));
  EXPECT_TRUE(std::holds_alternative<Subtract>(std::get<LocalOp>(plan.instructions[4].data()).op));
}

/// Numbers that the table of actions has no bits for.
TEST_F(CopiedCalls, HaveTheNamesOfLargeActions) {
  constexpr int64_t kLarge = int64_t{1} << 40;
  b_.begin_action(action(2, 7));
  const WrittenCall call = written({a_, c_});
  b_.begin_action(action(kLarge, 1));
  b_.copy_call(call, {c_, a_});
  const Plan plan = b_.finish();
  const Instruction copy = plan.instructions[4];
  EXPECT_EQ(plan.value(copy.results[0]).name(), "1099511627776F1.sum");
  EXPECT_EQ(plan.action(copy.action), action(kLarge, 1));
}

/// In a call with one value for both parameters nothing says which of them an operand was.
TEST_F(CopiedCalls, AreNotOfCallsThatTellArgumentsApart) {
  const WrittenCall doubled = written({a_, a_}), both = written({a_, c_});
  EXPECT_FALSE(PlanBuilder::may_copy(doubled, {a_, c_}));
  EXPECT_TRUE(PlanBuilder::may_copy(doubled, {c_, c_}));
  EXPECT_TRUE(PlanBuilder::may_copy(both, {c_, c_}));
}

TEST_F(CopiedCalls, HaveNoLoops) {
  WrittenCall call = b_.begin_call({a_});
  const PlanValueId inside = b_.begin_repeat(2, {a_})[0];
  b_.end_call(call, b_.end_repeat({b_.local(Negate{}, {inside}, kType)}));
  EXPECT_FALSE(PlanBuilder::may_copy(call, {c_}));
}

}  // namespace
}  // namespace isoshard::plan_builder_test
