#include <gtest/gtest.h>

#include "core/plan/passes/plan_builder.h"
#include "core/plan/passes/unroll.h"
#include "core/text/plan/plan_text.h"

namespace isoshard::plan_unroll_test {
namespace {

const TensorType kRow{DType::f32, {2}};

/// Sums rows of @a, keeps every partial sum, and permutes by the iteration on the way.
Plan running_sums(int64_t trips) {
  auto mesh = std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 2}});
  PlanBuilder b(mesh, "sums");
  const GlobalId g = b.add_global(Global{"a", {DType::f32, {trips, 2}}, Role::input, Init{}, Location()});
  const CommunicatorId all = b.add_communicator(Group{{AxisId(0)}}, "comm x");
  const PlanValueId rows = b.load(g, {Expr(0), Expr(0)}, {1, 1}, "rows");
  const PlanValueId zero = b.local(Constant{Rational(0), DType::f32, {2}}, {}, kRow, "zero");
  const auto in = b.begin_repeat(trips, {zero}, {rows}, {"sum", "row"});
  const Expr peer = mod(Expr::coordinate(AxisId(0)) + Expr::loop_index(0), 2);
  const PlanValueId moved = b.permute(all, in[1], peer, peer, "moved");
  const PlanValueId next = b.local(Add{}, {in[0], moved}, kRow, "next");
  const auto out = b.end_repeat({next}, {next}, {"total", "sums"});
  b.store(out[0], b.add_output("y", kRow), {Expr(0)}, {1});
  b.store(out[1], b.add_output("ys", b.type(out[1])), {Expr(0), Expr(0)}, {1, 1});
  return b.finish();
}

TEST(UnrollTest, LoopsPrintTheirSlicesAndStacks) {
  EXPECT_EQ(print(running_sums(2)), R"(isoshard-plan 1
plan @sums on @m [x=2]
global @a : f32[2,2] input
output @y: f32[2]
output @ys: f32[2,2]
communicator x on comm x

ranks all [0..2] {
  queue compute
    #0 %rows = load @a [-, -] : f32[2,2]
    #1 %zero = constant {value=0, dtype=f32, shape=[2]} : f32[2]
  %total, %sums = repeat 2 (%sum = %zero) over (%row = %rows)  frees %rows, %zero {
    queue compute
      #3 %next = add %sum, %moved : f32[2]  after #2  frees %sum, %moved
    queue comm x
      #2 %moved = permute %row {group=x, dst=(x+loop(0))%2, src=(x+loop(0))%2} : f32[2]  after #0  frees %row
    yield %next stack %next
  }
  queue compute
    #4 store %total {output=@y, block=[-]}  frees %total
    #5 store %sums {output=@ys, block=[-, -]}  frees %sums
}
)");
}

TEST(UnrollTest, EveryIterationHasItsOwnValues) {
  const std::optional<Plan> flat = unroll(running_sums(2), 100);
  ASSERT_TRUE(flat.has_value());
  const std::string text = print(*flat);
  EXPECT_EQ(text.find("repeat"), std::string::npos);
  EXPECT_NE(text.find("%next.of.iteration.0 = add %zero, %moved.of.iteration.0"), std::string::npos) << text;
  EXPECT_NE(text.find("%next.of.iteration.1 = add %next.of.iteration.0, %moved.of.iteration.1"), std::string::npos)
      << text;
  EXPECT_NE(text.find("dst=(x+1)%2"), std::string::npos) << text;
  EXPECT_NE(text.find("store %next.of.iteration.1 {output=@y"), std::string::npos) << text;
}

TEST(UnrollTest, NoIterationLeavesInitialValuesAndNoRows) {
  const std::optional<Plan> flat = unroll(running_sums(0), 100);
  ASSERT_TRUE(flat.has_value());
  const std::string text = print(*flat);
  EXPECT_NE(text.find("store %zero {output=@y"), std::string::npos) << text;
  EXPECT_NE(text.find("%sums = constant {value=0, dtype=f32, shape=[0, 2]} : f32[0,2]"), std::string::npos) << text;
}

TEST(UnrollTest, TooManyIterationsAreNotUnrolled) {
  EXPECT_FALSE(unroll(running_sums(1000), 500).has_value());
  EXPECT_TRUE(unroll(running_sums(1000), 10000).has_value());
}

}  // namespace
}  // namespace isoshard::plan_unroll_test
