// What instructions of different rank groups bring to each other.
#include "core/plan/exchanges.h"

#include <gtest/gtest.h>

#include "core/plan/cone.h"
#include "core/plan/passes/plan_builder.h"

namespace isoshard::plan_exchanges_test {
namespace {

const TensorType kRow{DType::f32, {2}};
const Group kX{{AxisId(0)}};

std::shared_ptr<const Mesh> mesh(int64_t x) {
  return std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", x}, {"y", 2}});
}
PlanValueId one(PlanBuilder& b) { return b.local(Constant{Rational(1), DType::f32, {2}}, {}, kRow); }
std::vector<size_t> met(const Exchanges& exchanges, size_t id) {
  std::vector<size_t> result;
  for (const InstructionId other : exchanges.met_by(InstructionId(id))) result.push_back(other.index());
  return result;
}
using Ids = std::vector<size_t>;

TEST(Exchanges, OfOneGroupAreItsOwn) {
  PlanBuilder b(mesh(2));
  const CommunicatorId c = b.add_communicator(kX, "comm x");
  b.collective(CollectiveKind::all_reduce, c, one(b));
  const Plan plan = b.finish();
  const Exchanges exchanges(plan);
  EXPECT_TRUE(exchanges.empty());
  EXPECT_EQ(met(exchanges, 1), Ids{});
}

TEST(Exchanges, GroupsMeetByTheirOrderOnACommunicator) {
  PlanBuilder b(mesh(3));
  const CommunicatorId x = b.add_communicator(kX, "comm x"), y = b.add_communicator(Group{{AxisId(1)}}, "comm y");
  for (const int64_t stage : {0, 1, 2}) {
    b.begin_group("x", {2 * stage, 2 * stage + 1});
    b.collective(CollectiveKind::all_reduce, y, one(b));  // within the group
    b.collective(CollectiveKind::all_reduce, x, one(b));
  }
  const Plan plan = b.finish();  // per group: constant, over y, constant, over x
  const Exchanges exchanges(plan);
  EXPECT_EQ(met(exchanges, 1), Ids{});
  EXPECT_EQ(met(exchanges, 3), (Ids{7, 11}));
  EXPECT_EQ(met(exchanges, 7), (Ids{3, 11}));
  EXPECT_EQ(exchanges.brought_to(InstructionId(11)),
            (std::vector<PlanValueId>{plan.instructions[3].operands[0], plan.instructions[7].operands[0]}));
}

TEST(Exchanges, MessagesMeetInTheOrderOfTheirChannel) {
  PlanBuilder b(mesh(2));
  const CommunicatorId there = b.add_communicator(kX, "send x 0->1");
  b.begin_group("x=0", {0, 1});
  b.send(there, one(b), Expr(1));  // 1
  b.send(there, one(b), Expr(1));  // 3
  b.begin_group("x=1", {2, 3});
  b.receive(there, Expr(0), kRow);  // 4
  b.receive(there, Expr(0), kRow);  // 5
  const Plan plan = b.finish();
  const Exchanges exchanges(plan);
  EXPECT_EQ(met(exchanges, 4), Ids{1});
  EXPECT_EQ(met(exchanges, 5), Ids{3});
  EXPECT_EQ(exchanges.brought_to(InstructionId(1)), std::vector<PlanValueId>{});
  std::vector<bool> roots(plan.instructions.size(), false);
  roots[5] = true;
  const Cone cone = cone_of(plan, roots);
  EXPECT_EQ(cone.instructions, (std::vector<bool>{false, false, true, true, false, true}));
}

TEST(Exchanges, ReceivesInLoopsMayGetAnyMessage) {
  PlanBuilder b(mesh(2));
  const CommunicatorId there = b.add_communicator(kX, "send x 0->1");
  b.begin_group("x=0", {0, 1});
  const auto sent = b.begin_repeat(2, {one(b)});
  b.send(there, sent[0], Expr(1));  // 1
  b.end_repeat({sent[0]});
  b.send(there, one(b), Expr(1));  // 3
  b.begin_group("x=1", {2, 3});
  b.receive(there, Expr(0), kRow);  // 4
  const Plan plan = b.finish();
  EXPECT_EQ(met(Exchanges(plan), 4), (Ids{1, 3}));
}

TEST(Exchanges, PermutesAreMessagesBetweenGroups) {
  PlanBuilder b(mesh(3));
  const CommunicatorId ring = b.add_communicator(kX, "send x");
  const Expr x = Expr::coordinate(AxisId(0));
  b.begin_group("x=0,1", {0, 1, 2, 3});
  b.permute(ring, one(b), mod(x + 1, 3), mod(x + 2, 3));  // 1
  b.begin_group("x=2", {4, 5});
  b.receive(ring, Expr(1), kRow);  // 2, and the send behind it: the permute's other halves
  b.send(ring, one(b), Expr(0));   // 4
  const Plan plan = b.finish();
  const Exchanges exchanges(plan);
  EXPECT_EQ(met(exchanges, 1), (Ids{2, 4}));
  EXPECT_EQ(exchanges.brought_to(InstructionId(2)), std::vector<PlanValueId>{plan.instructions[1].operands[0]});
}

TEST(Exchanges, PermutesWithinAGroupMeetThemselves) {
  PlanBuilder b(mesh(3));
  const CommunicatorId ring = b.add_communicator(Group{{AxisId(1)}}, "send y");
  const Expr y = Expr::coordinate(AxisId(1));
  for (const int64_t stage : {0, 1, 2}) {
    b.begin_group("x", {2 * stage, 2 * stage + 1});
    const auto in = b.begin_repeat(2, {one(b)});
    b.end_repeat({b.permute(ring, in[0], mod(y + 1, 2), mod(y + 1, 2))});
  }
  EXPECT_TRUE(Exchanges(b.finish()).empty());
}

TEST(Exchanges, SetsMeetTheirMembersOnly) {
  PlanBuilder b(mesh(3));
  const CommunicatorId pair = b.add_set_communicator({{0, 4}}, "pair");
  for (const int64_t rank : {0, 2, 4}) {
    b.begin_group("rank", {rank});
    if (rank != 2) b.collective(CollectiveKind::all_reduce, pair, one(b));  // 1 and 3
  }
  EXPECT_EQ(met(Exchanges(b.finish()), 1), Ids{3});
}

TEST(Exchanges, ItemsAreInIssueOrderOverGroups) {
  PlanBuilder b(mesh(2));
  b.begin_group("x=0", {0, 1});
  const PlanValueId first = one(b);
  b.begin_group("x=1", {2, 3});
  one(b);
  b.continue_group(0);
  const auto in = b.begin_repeat(2, {first});
  b.end_repeat({b.local(Negate{}, {in[0]}, kRow)});
  b.continue_group(1);
  one(b);
  const Plan plan = b.finish();
  std::string order;
  for (const PlanItem& item : items_in_order(plan)) {
    order += (item.repeat != nullptr ? "loop " : "op ") + std::to_string(item.instruction.index()) + " of " +
             std::to_string(item.group - plan.groups.data()) + "; ";
  }
  EXPECT_EQ(order, "op 0 of 0; op 1 of 1; loop 2 of 0; op 3 of 1; ");
}

}  // namespace
}  // namespace isoshard::plan_exchanges_test
