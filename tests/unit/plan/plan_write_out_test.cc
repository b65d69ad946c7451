// Functions that are written out where they stand: on their queue, in loops, and with what waits for them.
#include "core/plan/passes/write_out.h"

#include <gtest/gtest.h>

#include "core/plan/passes/plan_builder.h"
#include "core/plan/verify/verify_plan.h"
#include "core/text/plan/plan_text.h"

namespace isoshard::plan_write_out_test {
namespace {

const TensorType kRow{DType::f32, {2}};

GlobalId input(PlanBuilder& b, const std::string& name) {
  return b.add_global(Global{name, kRow, Role::input, Init{}, Location()});
}

/// What is written out waits for a sum, another sum waits for it, and a loop has one, too.
Plan functions() {
  PlanBuilder b(std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 2}}), "p");
  const CommunicatorId all = b.add_communicator(Group{{AxisId(0)}}, "comm x");
  const PlanValueId a = b.load(input(b, "a"), {Expr(0)}, {1}, "a");
  const PlanValueId sum = b.collective(CollectiveKind::all_reduce, all, a, 0, "sum", Location());
  const PlanValueId log = b.local(LogPlusOne{}, {sum}, kRow, "log");
  const PlanValueId rest = b.local(Erfc{}, {log}, kRow, "rest");
  const PlanValueId total = b.collective(CollectiveKind::all_reduce, all, rest, 0, "total", Location());
  const auto in = b.begin_repeat(3, {total}, {}, {"x"});
  const PlanValueId power = b.local(ExponentialMinusOne{}, {in[0]}, kRow, "power");
  const auto out = b.end_repeat({power}, {}, {"y"});
  b.store(out[0], b.add_output("y", kRow), {Expr(0)}, {1});
  b.store(log, b.add_output("log", kRow), {Expr(0)}, {1});
  return b.finish();
}

TEST(WriteOut, KeepsTheOrderAndTheLastUses) {
  const Plan plan = write_out(functions());
  EXPECT_TRUE(verify_plan(plan).empty());
  EXPECT_EQ(print(plan), R"(isoshard-plan 1
plan @p on @m [x=2]
global @a : f32[2] input
output @y: f32[2]
output @log: f32[2]
communicator x on comm x

ranks all [0..2] {
  queue compute
    #0 %a = load @a [-] : f32[2]
    #2 %log.one = constant {value=1, dtype=f32, shape=[2]} : f32[2]  from log_plus_one  after #1
    #3 %log.sum = add %sum, %log.one : f32[2]  from log_plus_one  frees %log.one
    #4 %log.log = log %log.sum : f32[2]  from log_plus_one  frees %log.sum
    #5 %log.negated = negate %log.log : f32[2]  from log_plus_one  frees %log.log
    #6 %log = negate %log.negated : f32[2]  from log_plus_one  frees %sum, %log.negated
    #7 %rest.erf = erf %log : f32[2]  from erfc
    #8 %rest.one = constant {value=1, dtype=f32, shape=[2]} : f32[2]  from erfc
    #9 %rest = subtract %rest.one, %rest.erf : f32[2]  from erfc  frees %rest.one, %rest.erf
  queue comm x
    #1 %sum = all_reduce %a {group=x} : f32[2]  after #0  frees %a
    #10 %total = all_reduce %rest {group=x} : f32[2]  after #9  frees %rest
  %y = repeat 3 (%x = %total)  frees %total {
    queue compute
      #11 %power.exp = exponential %x : f32[2]  from exponential_minus_one  after #10
      #12 %power.one = constant {value=1, dtype=f32, shape=[2]} : f32[2]  from exponential_minus_one
      #13 %power.less = subtract %power.exp, %power.one : f32[2]  from exponential_minus_one  frees %power.exp, %power.one
      #14 %power.negated = negate %power.less : f32[2]  from exponential_minus_one  frees %power.less
      #15 %power = negate %power.negated : f32[2]  from exponential_minus_one  frees %x, %power.negated
    yield %power
  }
  queue compute
    #16 store %y {output=@y, block=[-]}  frees %y
    #17 store %log {output=@log, block=[-]}  frees %log
}
)");
}

TEST(WriteOut, LeavesOtherPlansAsTheyAre) {
  PlanBuilder b(std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 2}}), "p");
  const PlanValueId a = b.load(input(b, "a"), {Expr(0)}, {1}, "a");
  b.store(b.local(Erf{}, {a}, kRow, "y"), b.add_output("y", kRow), {Expr(0)}, {1});
  const Plan plan = b.finish();
  EXPECT_EQ(print(write_out(plan)), print(plan));
}

}  // namespace
}  // namespace isoshard::plan_write_out_test
