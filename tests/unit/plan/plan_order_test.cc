#include <gtest/gtest.h>

#include "core/plan/order/queue_order.h"
#include "core/plan/passes/plan_builder.h"
#include "core/text/plan/plan_text.h"

namespace isoshard::plan_order_test {
namespace {

std::vector<InstructionId> ids(std::initializer_list<size_t> values) {
  std::vector<InstructionId> result;
  for (const size_t value : values) result.emplace_back(value);
  return result;
}

TEST(QueueOrderTest, TokensImpliedByOrderOrOtherTokensAreLeftOut) {
  QueueOrder order(3);
  order.add(InstructionId(0), QueueId(0), {});
  order.add(InstructionId(1), QueueId(1), ids({0}));
  order.add(InstructionId(2), QueueId(0), {});
  // 1 implies 0; 2 is on the same queue as 0 and later.
  EXPECT_EQ(order.fewest_waits(QueueId(2), ids({0, 1})), ids({1}));
  EXPECT_EQ(order.fewest_waits(QueueId(2), ids({0, 1, 2})), ids({1, 2}));
  EXPECT_EQ(order.fewest_waits(QueueId(1), ids({0})), ids({}));
  EXPECT_EQ(order.fewest_waits(QueueId(0), ids({0, 2})), ids({}));
}

TEST(QueueOrderTest, FindsTheFirstInstructionAfterAllUses) {
  QueueOrder order(2);
  order.add(InstructionId(0), QueueId(0), {});
  order.add(InstructionId(1), QueueId(1), ids({0}));
  order.add(InstructionId(2), QueueId(0), {});
  EXPECT_EQ(order.first_after(ids({1})), InstructionId(1));
  EXPECT_EQ(order.first_after(ids({0, 1})), InstructionId(1));
  EXPECT_EQ(order.first_after(ids({1, 2})), std::nullopt);
  order.add(InstructionId(3), QueueId(0), {});
  EXPECT_EQ(order.first_after(ids({1, 2})), std::nullopt);
  order.add(InstructionId(4), QueueId(0), ids({1}));
  EXPECT_EQ(order.first_after(ids({1, 2})), InstructionId(4));
}

/// A loop hands one of its values on under the name of another, and a loop around it hands that on: what the inner one
/// reads comes from this iteration of the outer one, and, on another way, from the one before.
TEST(PlanBuilderTest, TheSameInstructionMayBeNeededOfThisIterationAndOfTheOneBefore) {
  PlanBuilder b(std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 2}}));
  const TensorType type{DType::f64, {1}};
  const CommunicatorId all = b.add_communicator(Group{{AxisId(0)}}, "queue");
  const PlanValueId one = b.local(Constant{Rational(1), DType::f64, {1}}, {}, type);
  const auto outer = b.begin_repeat(2, {one, one});
  const PlanValueId sum = b.collective(CollectiveKind::all_reduce, all, outer[0]);
  const auto inner = b.begin_repeat(2, {sum, outer[1]});
  b.local(Negate{}, {inner[1]}, type);
  b.end_repeat(b.end_repeat({inner[0], inner[0]}));
  const Plan plan = b.finish();
  EXPECT_EQ(std::vector<Token>(plan.instructions[2].waits), (std::vector<Token>{{InstructionId(1), false}}));
}

TEST(PlanBuilderTest, RepeatFreesItsInitialValuesAndPrintsItsBody) {
  auto mesh = std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 2}});
  const TensorType type{DType::f32, {1}};
  PlanBuilder b(mesh, "loop");
  const GlobalId g = b.add_global(Global{"a", {DType::f32, {2}}, Role::input, Init{}, Location()});
  const CommunicatorId all = b.add_communicator(Group{{AxisId(0)}}, "comm x");
  const PlanValueId x = b.load(g, {Expr::coordinate(AxisId(0))}, {2}, "x");
  const PlanValueId kept = b.local(Negate{}, {x}, type, "kept");
  const auto in = b.begin_repeat(3, {x, kept});
  const PlanValueId sum = b.collective(CollectiveKind::all_reduce, all, in[0], 0, "sum");
  const auto out = b.end_repeat({b.local(Add{}, {sum, in[1]}, type, "next"), in[1]});
  b.local(Add{}, {out[0], kept}, type, "end");
  EXPECT_EQ(print(b.finish()), R"(isoshard-plan 1
plan @loop on @m [x=2]
global @a : f32[2] input
communicator x on comm x

ranks all [0..2] {
  queue compute
    #0 %x = load @a [x of 2] : f32[1]
    #1 %kept = negate %x : f32[1]
  %6, %7 = repeat 3 (%2 = %x, %3 = %kept)  frees %x, %7 {
    queue compute
      #3 %next = add %sum, %3 : f32[1]  after #2  frees %sum
    queue comm x
      #2 %sum = all_reduce %2 {group=x} : f32[1]  after #0, previous #3  frees %2
    yield %next, %3
  }
  queue compute
    #4 %end = add %6, %kept : f32[1]  frees %kept, %6, %end
}
)");
}

TEST(PlanBuilderTest, RankGroupsPrintTheirPositions) {
  auto mesh = std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 4}});
  PlanBuilder b(mesh, "groups");
  b.begin_group("even", {0, 2});
  b.scalar_index(Expr::coordinate(AxisId(0)), "i");
  b.begin_group("odd", {1, 3});
  b.scalar_index(Expr(7), "j");
  EXPECT_EQ(print(b.finish()), R"(isoshard-plan 1
plan @groups on @m [x=4]

ranks even [0, 2] {
  queue compute
    #0 %i = index {value=x} : i32[]  frees %i
}

ranks odd [1, 3] {
  queue compute
    #1 %j = index {value=7} : i32[]  frees %j
}
)");
}

}  // namespace
}  // namespace isoshard::plan_order_test
