// Backwards in two parts: the actions I and W of schedules in Plans, what they cost, and lists that are refused where
// they are wrong.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/plan/flops.h"
#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "sim/lockstep/run.h"
#include "tests/pipelines_testing.h"
#include "tests/unit/value/in_temporary_directory.h"

namespace isoshard::testing::plan_split_backward_test {
namespace {

/// Backwards in parts, whole ones, and late weight gradients in another order than the input gradients, over three
/// axes.
TEST(SplitBackward, EqualsTheModel) {
  PipelineFile f;
  f.data = f.model = 2;
  f.micro_batches = 3;
  f.schedule = "actions=\"0F0,0F1,0F2,0I0,,0B1,0I2,0W2,0W0;1F0,1I0,1F1,1F2,1I1,1W1,1I2,1W0,1W2\"";
  EXPECT_EQ(exit_code_of(pipeline_text(f)), 0);
}

/// I is then the whole backward and W nothing, on stages that have no other gradient.
TEST(SplitBackward, OfStagesWithoutWeights) {
  for (const std::string wrt : {"0", "3", "1"}) {
    PipelineFile f;
    f.stages = 3;
    f.schedule = "schedule=\"ZB-H1\"";
    std::string text = pipeline_text(f);
    const std::string name = wrt == "0" ? "dx" : wrt == "3" ? "dh" : "dU";
    text = with(text, "wrt=[0, 1, 2, 3]", "wrt=[" + wrt + "]");
    text = with(text, "%l, %o, %dx, %dU, %dV, %dh = pipeline", "%l, %o, %" + name + " = pipeline");
    for (const std::string other : {"x", "U", "V", "h"}) {
      if (name == "d" + other) continue;
      for (const std::string& line : std::vector{"  %g" + other + " = all_reduce", "  return @d" + other}) {
        for (size_t at = text.find(line); at != std::string::npos; at = text.find(line)) {
          text.erase(at, text.find('\n', at) + 1 - at);
        }
      }
    }
    text = with(text, "check @pipelined == @sequential\n", "");
    EXPECT_EQ(exit_code_of(text), 0) << wrt;
  }
}

/// What both parts need is computed once: the same multiplications, the same bits.
TEST(SplitBackward, ComputesNothingTwice) {
  std::vector<sim::RunResult> results;
  std::vector<double> flops;
  for (const std::string schedule : {"1F1B", "ZB-H1"}) {
    PipelineFile f;
    f.stages = 3;
    f.model = 2;
    f.schedule = "schedule=\"" + schedule + "\"";
    const std::optional<Module> module = module_of(pipeline_text(f));
    ASSERT_TRUE(module);
    const Plan plan = lower(*module, *module->find_program("pipelined"));
    flops.push_back(matmul_flops(plan));
    Result<sim::RunResult> result = sim::run(plan, sim::float_domain(), ramps_for(plan));
    ASSERT_TRUE(result.has_value()) << result.error().message;
    results.push_back(std::move(*result));
  }
  EXPECT_EQ(flops[0], flops[1]);
  ASSERT_EQ(results[0].outputs.size(), results[1].outputs.size());
  for (size_t o = 0; o < results[0].outputs.size(); ++o) {
    for (size_t b = 0; b < results[0].outputs[o].size(); ++b) {
      EXPECT_TRUE(sim::same_bits(results[0].outputs[o][b].value, results[1].outputs[o][b].value)) << o;
    }
  }
}

class ActionFile : public InTemporaryDirectory {
 protected:
  /// The first error of a pipeline of two stages and two micro-batches with these actions, with its place.
  static std::string error(const std::string& csv) {
    spit("list.csv", csv);
    spit("pipeline.shard", R"(isoshard 1
mesh @m [pp=2]
global @x : f32[2, 3] input
global @w : f32[2, 3] param
func @stage(%x: f32[1, 3], %w: f32[3]) on @m -> f32[1, 3] {
  %r = broadcast_in_dim %w {dims=[1], shape=[1, 3]}
  %y = multiply %x, %r
  return %y
}
func @loss(%y: f32[1, 3]) on @m -> f32[] {
  %l = reduce %y {op=add, dims=[0, 1]}
  return %l
}
pipeline @q {stage=@stage, stages=size(pp) over pp, microbatches=2, loss=@loss, actions "list.csv"}
program @p on @m {
  %x = view @x [-, -]
  %w = view @w [stack pp, -]
  %l, %dw = grad @q(%x, %w) {wrt=[1]}
  %loss = all_reduce %l {axis=pp}
  return @loss = %loss []
  return @dw = %dw [stack pp, -]
}
check @p == @p.reference
)");
    DiagnosticSink sink;
    const std::optional<Module> module = text::parse_module(*text::read_source("pipeline.shard"), {}, sink);
    for (const Diagnostic& d : sink.diagnostics()) return d.location.to_string() + ": " + d.rule + " " + d.message;
    return verify::check(*module, module->checks.front()).exit_code() == 0 ? "" : "not equal";
  }
};

TEST_F(ActionFile, IsRefusedAtTheCell) {
  const std::string first = "0F0,0F1,0I0,0W0,0I1,0W1\n";
  EXPECT_EQ(error(first + "1F0,1I0,1F1,1I1,1W1,1W0\n"), "");
  EXPECT_EQ(error(first + ",1F0,1I0,1F1,1W1,1I1,1W0\n"), "list.csv:2:14: V-schedule rank 1: 1W1 comes before 1I1");
  EXPECT_EQ(error(first + "1F0,1I0,1F1,1I1,1W1\n"),
            "list.csv:2:5: V-schedule rank 1: 1W0 is missing, the gradient of micro-batch 0 would lack");
  EXPECT_EQ(error(first + "1F0,1I0,1F1,1I1,1W0,1W1,1W0\n"), "list.csv:2:25: V-schedule rank 1: 1W0 stands twice");
  EXPECT_EQ(error(first + "1F0,1B0,1F1,1B1,1W1\n"),
            "list.csv:2:17: V-schedule rank 1: 1W1 repeats a gradient that stands there already");
  EXPECT_EQ(error(first), "list.csv:1:1: V-schedule there is 1 list; expected one per rank, 2");
}

/// `stages` says how many stages there are.
TEST_F(ActionFile, WithMoreStagesThanTheItemIsRefused) {
  EXPECT_EQ(error("0F0,0F1,2F0,,2F1,2I0,2W0,0I0\n,1F0,1F1,3F0,3I0,3F1,3I1,3W0\n"),
            "list.csv:1:9: V-schedule rank 0: 2F0 names stage 2; there are 2 stages, one per rank");
}

}  // namespace
}  // namespace isoshard::testing::plan_split_backward_test
