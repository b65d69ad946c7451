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
    WrittenCall call = b_.begin_call(arguments, "f.");
    const PlanValueId sum = b_.local(Add{}, arguments, kType, "f.sum");
    b_.end_call(call, {b_.local(Negate{}, {sum}, kType, "f.y")});
    return call;
  }

  const TensorType kType{DType::f32, {4}};
  PlanBuilder b_{std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 2}}), "p"};
  const PlanValueId a_ = constant("a"), c_ = constant("c");
};

TEST_F(CopiedCalls, HaveTheirOwnArgumentsAndNames) {
  const WrittenCall call = written({a_, c_});
  const Ids swapped{c_, a_};
  ASSERT_TRUE(PlanBuilder::may_copy(call, swapped));
  b_.begin_action({});
  const Ids results = b_.copy_call(call, swapped, "second.");
  b_.end_action();
  b_.store(results.at(0), b_.add_output("y", kType), {Expr(0)}, {1});
  const Plan plan = b_.finish();
  EXPECT_TRUE(verify_plan(plan).empty());
  const Instruction &first = plan.instructions[2], &copy = plan.instructions[4];
  EXPECT_EQ(first.operands, (PlanValueIds{a_, c_}));
  EXPECT_EQ(copy.operands, (PlanValueIds{c_, a_}));
  EXPECT_EQ(&copy.data(), &first.data()) << "what they do is shared";
  EXPECT_EQ(plan.value(first.results[0]).name(), "f.sum");
  EXPECT_EQ(plan.value(copy.results[0]).name(), "second.sum");
  EXPECT_EQ(plan.value(results[0]).name(), "second.y");
  EXPECT_EQ(plan.instructions[5].operands, copy.results);
  EXPECT_FALSE(first.action.valid());
  EXPECT_TRUE(copy.action.valid());
}

TEST_F(CopiedCalls, KeepWhatIsChangedForThemselves) {
  const WrittenCall call = written({a_, c_});
  b_.copy_call(call, {c_, a_}, "g.");
  Plan plan = b_.finish();
  std::get<LocalOp>(plan.instructions[4].own_data()).op = Subtract{};
  EXPECT_TRUE(std::holds_alternative<Add>(std::get<LocalOp>(plan.instructions[2].data()).op));
  EXPECT_TRUE(std::holds_alternative<Subtract>(std::get<LocalOp>(plan.instructions[4].data()).op));
}

/// In a call with one value for both parameters nothing says which of them an operand was.
TEST_F(CopiedCalls, AreNotOfCallsThatTellArgumentsApart) {
  const WrittenCall doubled = written({a_, a_}), both = written({a_, c_});
  EXPECT_FALSE(PlanBuilder::may_copy(doubled, {a_, c_}));
  EXPECT_TRUE(PlanBuilder::may_copy(doubled, {c_, c_}));
  EXPECT_TRUE(PlanBuilder::may_copy(both, {c_, c_}));
}

TEST_F(CopiedCalls, HaveNoLoops) {
  WrittenCall call = b_.begin_call({a_}, "f.");
  const PlanValueId inside = b_.begin_repeat(2, {a_})[0];
  b_.end_call(call, b_.end_repeat({b_.local(Negate{}, {inside}, kType)}));
  EXPECT_FALSE(PlanBuilder::may_copy(call, {c_}));
}

}  // namespace
}  // namespace isoshard::plan_builder_test
