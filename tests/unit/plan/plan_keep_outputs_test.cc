#include <algorithm>

#include "core/plan/passes/keep_outputs.h"

#include <gtest/gtest.h>

#include "core/plan/passes/plan_builder.h"
#include "core/text/plan/plan_text.h"

namespace isoshard::plan_keep_outputs_test {
namespace {

const TensorType kRow{DType::f32, {2}};

std::shared_ptr<Mesh> two_devices() { return std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 2}}); }

GlobalId input(PlanBuilder& b, const std::string& name, TensorType type) {
  return b.add_global(Global{name, std::move(type), Role::input, Init{}, Location()});
}

TEST(KeepOutputsTest, WholeCollectivesGoAndAssertionsStay) {
  PlanBuilder b(two_devices(), "p");
  const GlobalId g = input(b, "a", kRow);
  const CommunicatorId all = b.add_communicator(Group{{AxisId(0)}}, "comm x");
  const PlanValueId a = b.load(g, {Expr(0)}, {1}, "a");
  const PlanValueId sum = b.collective(CollectiveKind::all_reduce, all, a, 0, "sum", Location());
  const PlanValueId twice = b.local(Add{}, {a, a}, kRow, "twice");
  b.collective(CollectiveKind::assert_equal, all, twice, 0, "same", Location());
  const PlanValueId minus = b.local(Negate{}, {a}, kRow, "minus");
  b.store(sum, b.add_output("sum", kRow), {Expr(0)}, {1});
  b.store(minus, b.add_output("minus", kRow), {Expr(0)}, {1});
  EXPECT_EQ(print(keep_outputs(b.finish(), {false, true})), R"(isoshard-plan 1
plan @p on @m [x=2]
global @a : f32[2] input
output @minus: f32[2]
communicator x on comm x

ranks all [0..2] {
  queue compute
    #0 %a = load @a [-] : f32[2]
    #1 %twice = add %a, %a : f32[2]
    #3 %minus = negate %a : f32[2]  frees %a
    #4 store %minus {output=@minus, block=[-]}  frees %minus
  queue comm x
    #2 %same = assert_equal %twice {group=x} : f32[2]  after #1  frees %twice, %same
}
)");
}

/// Carries @a, b and c, where the next b is c; stacks a and slices rows.
Plan loop() {
  PlanBuilder b(two_devices(), "p");
  const PlanValueId rows = b.load(input(b, "r", {DType::f32, {3, 2}}), {Expr(0), Expr(0)}, {1, 1}, "rows");
  const PlanValueId a = b.load(input(b, "a", kRow), {Expr(0)}, {1}, "a0");
  const auto in = b.begin_repeat(3, {a, a, a}, {rows}, {"a", "b", "c", "row"});
  const PlanValueId next = b.local(Add{}, {in[0], in[3]}, kRow, "next");
  const PlanValueId other = b.local(Negate{}, {in[2]}, kRow, "other");
  const auto out = b.end_repeat({next, in[2], other}, {next}, {"ra", "rb", "rc", "nexts"});
  b.store(out[0], b.add_output("a", kRow), {Expr(0)}, {1});
  b.store(out[1], b.add_output("b", kRow), {Expr(0)}, {1});
  b.store(out[3], b.add_output("n", {DType::f32, {3, 2}}), {Expr(0), Expr(0)}, {1, 1});
  return b.finish();
}

TEST(KeepOutputsTest, LoopsCarryWhatIsNeeded) {
  EXPECT_EQ(print(keep_outputs(loop(), {false, true, false})), R"(isoshard-plan 1
plan @p on @m [x=2]
global @r : f32[3,2] input
global @a : f32[2] input
output @b: f32[2]

ranks all [0..2] {
  queue compute
    #0 %a0 = load @a [-] : f32[2]
  %rb, %rc = repeat 3 (%b = %a0, %c = %a0)  frees %a0, %rc {
    queue compute
      #1 %other = negate %c : f32[2]
    yield %c, %other
  }
  queue compute
    #2 store %rb {output=@b, block=[-]}  frees %rb
}
)");
  const std::string stack = print(keep_outputs(loop(), {false, false, true}));
  EXPECT_NE(stack.find("%ra, %nexts = repeat 3 (%a = %a0) over (%row = %rows)"), std::string::npos) << stack;
  EXPECT_EQ(stack.find("negate"), std::string::npos) << stack;
}

TEST(KeepOutputsTest, NothingWantedLeavesNothing) {
  const Plan nothing = keep_outputs(loop(), {false, false, false});
  EXPECT_TRUE(nothing.instructions.empty());
  EXPECT_TRUE(nothing.outputs.empty());
  EXPECT_TRUE(nothing.groups.at(0).blocks.empty());
}

/// Each group has instructions of its own for one collective: none may go on one side only.
TEST(KeepOutputsTest, CollectivesOfSeveralGroupsGoTogether) {
  PlanBuilder b(two_devices(), "p");
  const GlobalId g = input(b, "a", kRow);
  const CommunicatorId all = b.add_communicator(Group{{AxisId(0)}}, "comm x");
  const uint32_t y = b.add_output("y", kRow), z = b.add_output("z", kRow);
  for (const int64_t position : {0, 1}) {
    b.begin_group("g" + std::to_string(position), {position});
    const PlanValueId a = b.load(g, {Expr(0)}, {1}, "a");
    const PlanValueId sum = b.collective(CollectiveKind::all_reduce, all, a, 0, "sum", Location());
    b.store(position == 0 ? sum : a, y, {Expr(0)}, {1});
    b.store(a, z, {Expr(0)}, {1});
  }
  const Plan whole = b.finish();
  const auto collectives = [&](const std::vector<bool>& wanted) {
    const Plan part = keep_outputs(whole, wanted);
    return std::count_if(part.instructions.begin(), part.instructions.end(),
                         [](const Instruction& i) { return std::holds_alternative<Collective>(i.data()); });
  };
  EXPECT_EQ(collectives({true, false}), 2);  // only the first group stores the sum
  EXPECT_EQ(collectives({false, true}), 0);
}

/// A message is needed where what it brings is: then its send stays, and what is sent.
TEST(KeepOutputsTest, SendsStayWithTheirReceives) {
  PlanBuilder b(two_devices(), "p");
  const GlobalId g = input(b, "a", kRow);
  const CommunicatorId channel = b.add_communicator(Group{{AxisId(0)}}, "send x 0->1");
  const uint32_t y = b.add_output("y", kRow), z = b.add_output("z", kRow);
  b.begin_group("x=0", {0});
  const PlanValueId a = b.load(g, {Expr(0)}, {1}, "a");
  const PlanValueId sent = b.local(Negate{}, {a}, kRow, "sent");
  const PlanValueId dead = b.local(Negate{}, {a}, kRow, "dead");
  b.begin_group("x=1", {1});
  std::vector<PlanValueId> received;
  for (const PlanValueId value : {dead, sent}) {
    b.continue_group(0);
    b.send(channel, value, Expr(1));
    b.continue_group(1);
    received.push_back(b.receive(channel, Expr(0), kRow, "got" + std::to_string(received.size())));
  }
  b.store(received[0], y, {Expr(0)}, {1});
  b.store(received[1], z, {Expr(0)}, {1});
  EXPECT_EQ(print(keep_outputs(b.finish(), {false, true})), R"(isoshard-plan 1
plan @p on @m [x=2]
global @a : f32[2] input
output @z: f32[2]
communicator x on send x 0->1

ranks x=0 [0] {
  queue compute
    #0 %a = load @a [-] : f32[2]
    #1 %sent = negate %a : f32[2]  frees %a
  queue send x 0->1
    #2 send %sent {group=x, dst=1}  after #1  frees %sent
}

ranks x=1 [1] {
  queue compute
    #4 store %got1 {output=@z, block=[-]}  after #3  frees %got1
  queue send x 0->1
    #3 %got1 = recv {group=x, src=0} : f32[2]
}
)");
}

}  // namespace
}  // namespace isoshard::plan_keep_outputs_test
