// Pipelines as Plans: one rank group per stage, its actions, sends and receives; what the op and the item refuse; wrong
// pipelines that do not equal the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <utility>

#include "core/plan/order/set_last_uses.h"
#include "core/plan/order/set_waits.h"
#include "core/plan/passes/lower.h"
#include "core/schedule/schedules.h"
#include "core/support/result.h"
#include "core/text/plan/plan_text.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/lockstep/run.h"
#include "tests/pipelines_testing.h"
#include "tests/sanitized.h"

namespace isoshard::testing::plan_pipeline_test {
namespace {

TEST(PlanPipeline, EqualsTheModelOnOneDevice) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  for (const auto& [stages, micro_batches] : {std::pair(2, 4), std::pair(4, 8), std::pair(4, 3), std::pair(3, 7)}) {
    for (const std::string schedule : {"GPipe", "1F1B", "ZB-H1"}) {
      PipelineFile f;
      f.stages = stages;
      f.micro_batches = micro_batches;
      f.schedule = "schedule=\"" + schedule + "\"";
      EXPECT_EQ(exit_code_of(pipeline_text(f)), 0) << stages << " " << micro_batches << " " << schedule;
    }
  }
}

/// Over three axes: the reference gathers what is V over the stages and nothing else.
TEST(PlanPipeline, EqualsItsReferenceOverThreeAxes) {
  PipelineFile f;
  f.data = f.model = 2;
  f.stages = 3;
  f.micro_batches = 2;
  EXPECT_EQ(exit_code_of(pipeline_text(f)), 0);
  const std::string summed = with(with(pipeline_text(f), "microbatches=micro,", "microbatches=micro, loss_of=sum,"),
                                  "check @pipelined == @sequential\n", "");
  EXPECT_EQ(exit_code_of(summed), 0);
  EXPECT_EQ(error_of(with(pipeline_text(f), "@pipelined.reference", "@sequential.reference")),
            "E-program there is no program @sequential.reference; the programs are @pipelined, @sequential");
}

/// A gradient of one stage that is counted twice is not that of the reference.
TEST(PlanPipeline, TheReferenceTellsAnotherProgram) {
  const std::string text = pipeline_text({});
  const std::string wrong = with(text, "program @sequential", R"(program @wrong on @m {
  %x = view @x [dp, -] as I{tp}
  %t = view @t [dp] as I{tp}
  %U = view @U [stack pp, -, tp]
  %V = view @V [stack pp, tp, -]
  %h = view @h [-] as I{tp}
  %l, %o, %dU = pipeline @stage(%x, %U, %V) @loss(%h, %t) {axis=pp, microbatches=micro, wrt=[1], schedule="GPipe"}
  %ll = all_reduce %l {axis=(dp, pp)}
  %twice = add %dU, %dU
  %gU = all_reduce %twice {axis=dp}
  return @loss = %ll []
  return @dU = %gU [stack pp, -, tp]
}
program @right on @m {
  %x = view @x [dp, -] as I{tp}
  %t = view @t [dp] as I{tp}
  %U = view @U [stack pp, -, tp]
  %V = view @V [stack pp, tp, -]
  %h = view @h [-] as I{tp}
  %l, %o, %dU = pipeline @stage(%x, %U, %V) @loss(%h, %t) {axis=pp, microbatches=micro, wrt=[1], schedule="GPipe"}
  %ll = all_reduce %l {axis=(dp, pp)}
  %gU = all_reduce %dU {axis=dp}
  return @loss = %ll []
  return @dU = %gU [stack pp, -, tp]
}
check @wrong == @right.reference
program @sequential)");
  const verify::CheckReport report = report_of(wrong);
  EXPECT_EQ(report.exit_code(), 1);
  ASSERT_EQ(report.outputs.size(), 2U);
  ASSERT_TRUE(report.outputs[1].ring.ratio);
  EXPECT_EQ(verify::to_string(*report.outputs[1].ring.ratio), "2");
}

constexpr const char* kSmall = R"(isoshard 1
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
program @p on @m {
  %x = view @x [-, -]
  %w = view @w [stack pp, -]
  %l, %dw = pipeline @stage(%x, %w) @loss() {axis=pp, microbatches=2, wrt=[1], schedule="1F1B"}
  %loss = all_reduce %l {axis=pp}
  return @loss = %loss []
  return @dw = %dw [stack pp, -]
}
check @p == @p
)";

/// Ranks, queues, sends and receives of a Plan's text, without numbers of instructions: `send 0F0` is what 0F0 made.
std::string messages_of(const Plan& plan) {
  std::string kept;
  std::istringstream lines(print(plan, {.functions = false}));
  for (std::string line; std::getline(lines, line);) {
    const bool is_kept = line.starts_with("ranks") || line.starts_with("  queue") ||
                         line.find(" send %") != std::string::npos || line.find(" recv {") != std::string::npos;
    if (!is_kept) continue;
    line = std::regex_replace(line, std::regex(R"(#\d+ |  (after|frees) .*)"), "");
    kept += std::regex_replace(line, std::regex(R"(send %(\d[FB]\d)[^ ]*)"), "send $1") + "\n";
  }
  return kept;
}

TEST(PlanPipeline, HasAGroupPerStage) {
  const std::optional<Module> module = module_of(kSmall);
  ASSERT_TRUE(module);
  const Plan plan = lower(*module, *module->find_program("p"));
  EXPECT_EQ(messages_of(plan), R"(ranks pp=0 [0] {
  queue compute
  queue send pp 0->1
    send 0F0 {group=pp, dst=1}  action "0F0"
    send 0F1 {group=pp, dst=1}  action "0F1"
  queue send pp 1->0
    %1B0.received = recv {group=pp, src=1} : f32[1,3]  action "1B0"
    %1B1.received = recv {group=pp, src=1} : f32[1,3]  action "1B1"
  queue comm pp
ranks pp=1 [1] {
  queue compute
  queue send pp 0->1
    %0F0.received = recv {group=pp, src=0} : f32[1,3]  action "0F0"
    %0F1.received = recv {group=pp, src=0} : f32[1,3]  action "0F1"
  queue send pp 1->0
    send 1B0 {group=pp, dst=0}  action "1B0"
    send 1B1 {group=pp, dst=0}  action "1B1"
  queue comm pp
)");
}

/// The actions of a rank in the order in which it begins them, from the names of its values.
std::string actions_of(const Plan& plan, size_t group) {
  std::string order, last;
  for (const InstructionId id : plan.groups[group].blocks.at(0).queues[0].instructions) {
    for (const PlanValueId value : plan.instruction(id).results) {
      const std::string& name = plan.value(value).name();
      const std::string action = name.substr(0, name.find('.'));
      if (!std::regex_match(action, std::regex(R"(\d[FIWB]\d+)")) || action == last) continue;
      order += (order.empty() ? "" : ",") + action;
      last = action;
    }
  }
  return order;
}

TEST(PlanPipeline, RanksActInTheOrderOfTheSchedule) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  for (const std::string& name : schedule::schedule_names()) {
    PipelineFile f;
    f.stages = 4;
    f.micro_batches = 8;
    if (name == "ZBVZeroBubble") f.placement = "v";
    if (name == "LoopedBFS" || name == "Interleaved1F1B" || name == "ZBVZeroBubble") f.per_rank = 2;
    const schedule::Placement placement{4, f.per_rank, f.placement == "v" ? schedule::Style::v : schedule::Style::loop};
    f.schedule = "schedule=\"" + name + "\"";
    const std::optional<Module> module = module_of(pipeline_text(f));
    ASSERT_TRUE(module);
    const Plan plan = lower(*module, *module->find_program("pipelined"));
    std::string rows;
    for (size_t rank = 0; rank < plan.groups.size(); ++rank) rows += actions_of(plan, rank) + "\n";
    EXPECT_EQ(rows, schedule::to_csv(*schedule::by_name(name, placement, 8)));
  }
}

TEST(PlanPipeline, TheItemIsTheOp) {
  const std::string item =
      with(with(kSmall, "program @p",
                R"(pipeline @q {stage=@stage, stages=size(pp) over pp, microbatches=2, loss=@loss, schedule="1F1B"}
program @p)"),
           R"(pipeline @stage(%x, %w) @loss() {axis=pp, microbatches=2, wrt=[1], schedule="1F1B"})",
           "grad @q(%x, %w) {wrt=[1]}");
  const std::optional<Module> by_item = module_of(item), by_op = module_of(kSmall);
  ASSERT_TRUE(by_item && by_op);
  EXPECT_EQ(text::print(*by_item), text::print(*by_op));
  EXPECT_EQ(error_of(with(item, "stages=size(pp)", "stages=3")),
            "V-schedule pipeline @q has 3 stages over `pp` of size 2; expected as many on each rank, a multiple of 2");
  EXPECT_EQ(error_of(with(item, "loss=@loss", "loss=@los")), "E-func there is no func @los; did you mean `@loss`?");
  EXPECT_EQ(error_of(with(item, "schedule=\"1F1B\"",
                          "actions \"tests/data/pipeline_schedules/GPipe_pp2_v1_mb4.compute.csv\"")),
            "V-schedule rank 0: 0F2 names micro-batch 2; there are 2");
  EXPECT_EQ(
      error_of(with(item, "schedule=\"1F1B\"", "actions \"tests/data/pipeline_schedules/LICENSE.pytorch\"")),
      "P-action the cell \"From PyTorch:\" is no action; expected stage, one of F, I, W, B, and micro-batch, as in "
      "2F0");
}

TEST(PlanPipeline, BadFields) {
  const auto fields = [](const std::string& from, const std::string& to) { return error_of(with(kSmall, from, to)); };
  EXPECT_EQ(fields("\"1F1B\"", "\"Zero\""),
            "V-schedule pipeline: there is no schedule \"Zero\"; expected one of \"GPipe\", \"1F1B\", \"ZB-H1\", "
            "\"LoopedBFS\", \"Interleaved1F1B\", \"ZBVZeroBubble\"");
  EXPECT_EQ(fields(", schedule=\"1F1B\"", ""), "V-schedule pipeline: expected one of `schedule` and `actions`");
  EXPECT_EQ(fields("schedule=\"1F1B\"", "actions=\"0F0,0F1,0B0;1F0,1B0,1F1,1B1\""),
            "V-schedule pipeline: rank 0: 0B1 is missing, the gradient of micro-batch 1 would lack");
  EXPECT_EQ(fields("schedule=\"1F1B\"", "actions=\"0F0,0F1,0I0,0W0,0B1;1F0,1B0,1F1,1B1\""), "");
  EXPECT_EQ(fields("schedule=\"1F1B\"", "actions=\"0F0,0F1,0I0,0B1,0W0;1F0,1B0,1F1,1W1,1I1\""),
            "V-schedule pipeline: rank 1: 1W1 comes before 1I1");
  EXPECT_EQ(fields("schedule=\"1F1B\"", "actions=\"0F0,0F1,0I0,0B1;1F0,1B0,1F1,1B1\""),
            "V-schedule pipeline: rank 0: 0W0 is missing, the gradient of micro-batch 0 would lack");
  EXPECT_EQ(fields("microbatches=2", "microbatches=0"),
            "T-pipeline pipeline: `microbatches` is 0; expected at least 1");
  EXPECT_EQ(fields("microbatches=2", "microbatches=3"),
            "T-pipeline pipeline: operand 0 is f32[2,3]; expected f32[3,3], 3 micro-batches of f32[1,3]");
  EXPECT_EQ(fields("microbatches=2", "microbatches=9223372036854775807"),
            "V-schedule pipeline: there are 9223372036854775807 micro-batches for 2 ranks of 1 stage each; expected at "
            "most 1048576 micro-batches of all stages together");
  EXPECT_EQ(fields("wrt=[1]", "wrt=[1, 1]"), "T-pipeline pipeline: wrt 1 stands twice");
  EXPECT_EQ(fields("wrt=[1]", "wrt=[2]"), "T-pipeline pipeline: wrt 2 is no operand; expected 0 to 1");
  EXPECT_EQ(fields("axis=pp, ", ""), "E-field pipeline needs the field `axis`: the axis along which the stages stand");
  EXPECT_EQ(fields("\"1F1B\"", "pp"),
            "E-field-value pipeline: the field `schedule` is `pp`; expected a string, as in \"1F1B\"");
  EXPECT_EQ(
      fields("@loss()", "@loss(%x)"),
      "T-pipeline pipeline: there are 3 arguments; expected the 2 of @stage and those of @loss but its first, which "
      "is the output of the last stage");
  EXPECT_EQ(fields("%y = multiply %x, %r", "%z = multiply %x, %r\n  %y = slice %z {start=[0, 0], limit=[1, 2]}"),
            "E-result @stage returns f32[1,2] as result 0; its header says f32[1,3]");
}

TEST(PlanPipeline, BadStagesPerRank) {
  const auto fields = [](const std::string& to, const std::string& type = "f32[2, 3]") {
    return error_of(with(with(kSmall, "schedule=\"1F1B\"", to), "global @w : f32[2, 3]", "global @w : " + type));
  };
  EXPECT_EQ(fields("stages_per_rank=1, schedule=\"1F1B\""), "");
  EXPECT_EQ(fields("stages_per_rank=2, schedule=\"LoopedBFS\""), "");  // @w is shared by the stages of a rank
  EXPECT_EQ(fields("stages_per_rank=0, schedule=\"LoopedBFS\""),
            "T-pipeline pipeline: `stages_per_rank` is 0; expected at least 1");
  EXPECT_EQ(fields("stages_per_rank=2, schedule=\"1F1B\""),
            "V-schedule pipeline: the schedule \"1F1B\" wants one stage per rank");
  EXPECT_EQ(fields("stages_per_rank=2, schedule=\"ZBVZeroBubble\""),
            "V-schedule pipeline: the schedule \"ZBVZeroBubble\" wants stages_per_rank=2 and placement=v");
  EXPECT_EQ(fields("stages_per_rank=2000000, schedule=\"LoopedBFS\""),
            "V-schedule pipeline: there are 2 micro-batches for 2 ranks of 2000000 stages each; expected at most "
            "1048576 micro-batches of all stages together");
  EXPECT_EQ(fields("placement=u, stages_per_rank=2, schedule=\"LoopedBFS\""),
            "E-field-value pipeline: the field `placement` is `u`; expected loop or v");
  EXPECT_EQ(
      fields("stages_per_rank=2, schedule=\"LoopedBFS\"", "f32[2, 4]"),
      "T-pipeline pipeline: operand 1 is f32[4]; expected f32[3], or f32[6], 2 micro-batches of f32[3], or one for "
      "each of the 2 stages of a rank");
  EXPECT_EQ(fields("stages_per_rank=2, actions=\"0F0,0F1,0B0,0B1;1F0,1F1,1B0,1B1\""),
            "V-schedule pipeline: rank 0: 2F0 is missing, micro-batch 0 never enters the stage");
  EXPECT_EQ(fields("stages_per_rank=2, actions=\"0F0,3F0,3B0,0B0,0F1,3F1,3B1,0B1;1F0,2F0,2B0,1B0,1F1,2F1,2B1,1B1\""),
            "V-schedule pipeline: rank 0: 3F0 belongs to rank 1");
  EXPECT_EQ(fields("stages_per_rank=2, placement=v, "
                   "actions=\"0F0,3F0,3B0,0B0,0F1,3F1,3B1,0B1;1F0,2F0,2B0,1B0,1F1,2F1,2B1,1B1\""),
            "");
}

/// An item's number of stages is the one that counts, and no fields contradict it.
TEST(PlanPipeline, AnItemSaysHowManyStagesThereAre) {
  const auto item = [](const std::string& fields, const std::string& more = "", const std::string& type = "2, 2, 3",
                       const std::string& layout = "-, stack pp, -") {
    std::string text =
        with(kSmall, "program @p", "pipeline @q {stage=@stage, microbatches=2, loss=@loss, " + fields + R"(}
program @p)");
    text = with(text, R"(pipeline @stage(%x, %w) @loss() {axis=pp, microbatches=2, wrt=[1], schedule="1F1B"})",
                "grad @q(%x, %w) {wrt=[1]" + more + "}");
    text = with(with(text, "f32[2, 3] param", "f32[" + type + "] param"), "[stack pp, -]", "[" + layout + "]");
    return with(text, "[stack pp, -]", "[" + layout + "]");
  };
  EXPECT_EQ(error_of(item("stages=4 over pp, schedule=\"LoopedBFS\"")), "");
  EXPECT_EQ(exit_code_of(with(item("stages=4 over pp, schedule=\"LoopedBFS\""), "@p == @p", "@p == @p.reference")), 0);
  EXPECT_EQ(error_of(item("stages=2 over pp, schedule=\"1F1B\"", "", "1, 2, 3")), "");  // one stage per rank, stacked
  EXPECT_EQ(
      exit_code_of(with(item("stages=2 over pp, schedule=\"1F1B\"", "", "1, 2, 3"), "@p == @p", "@p == @p.reference")),
      0);
  const std::string follows =
      "E-field pipeline @q: `stages_per_rank` follows from `stages` and the size of the axis; leave it out";
  EXPECT_EQ(error_of(item("stages=4 over pp, stages_per_rank=2, schedule=\"LoopedBFS\"")), follows);
  EXPECT_EQ(error_of(item("stages=4 over pp, schedule=\"LoopedBFS\"", ", stages_per_rank=2")), follows);
  EXPECT_EQ(error_of(item("stages=4 over pp, actions \"a.csv\", actions \"b.csv\"")),
            "E-field pipeline @q: `actions` is given twice");
}

/// A value that all stages have alike has a gradient with a term on each.
TEST(PlanPipeline, TheGradientOfAnInputThatIsAConstantIsASum) {
  const std::string text = with(
      with(with(with(kSmall, "global @x : f32[2, 3] input", "global @x : f32[2, 3] const"), "%l, %dw", "%l, %dx, %dw"),
           "wrt=[1]", "wrt=[0, 1]"),
      "  return @dw", "  %gx = all_reduce %dx {axis=pp}\n  return @dx = %gx [-, -]\n  return @dw");
  EXPECT_EQ(error_of(text), "");
  EXPECT_EQ(exit_code_of(with(text, "@p == @p", "@p == @p.reference")), 0);
}

TEST(PlanPipeline, FuncsThatAreNoStages) {
  EXPECT_EQ(
      error_of(with(kSmall, "%y = multiply %x, %r", "%i = axis_index {axis=pp}\n  %y = multiply %x, %r")),
      "V-pipeline axis_index: names `pp`, along which the stages of a pipeline stand; a stage and the loss run on "
      "the devices of one coordinate, expected other axes");
  EXPECT_EQ(error_of(with(kSmall, "%y = multiply %x, %r", "%z = multiply %x, %r\n  %y = stop_gradient %z")),
            "A-loss pipeline: the output of the stage @stage has no gradient; expected one that flows back through all "
            "stages");
  EXPECT_EQ(
      error_of(with(kSmall, "%w = view @w [stack pp, -]", "%w0 = view @w [stack pp, -]\n  %w = stop_gradient %w0")),
      "A-wrt @stage: wrt 1, %w, is f32[3] {V: pp} without a gradient; expected an argument that depends on a param or "
      "a float input");
  EXPECT_EQ(
      error_of(with(kSmall, "%x = view @x [-, -]", "%x = view @x [-, -] as I{pp}")),
      "S-pipeline pipeline: %x is I over `pp`, along which the stages stand; expected R, = or V: each stage has its "
      "own part of the gradient, reinterpret {to=R}");
  PipelineFile f;
  f.model = 2;
  EXPECT_EQ(
      error_of(with(pipeline_text(f), "to=I}\n  %y = add %x, %r",
                    "to=R}\n  %xx = reinterpret %x {axis=tp, to=R}\n  %y = add %xx, %r")),
      "S-pipeline pipeline: the stage @stage takes its input as I over `tp` and gives R; expected the same state, the "
      "next stage takes what it gives");
  EXPECT_EQ(
      error_of(with(pipeline_text(f), ", partial={dp}", "")),
      "S-pipeline pipeline: the loss is V over `dp`, every device has a loss of its own; expected one loss: sum it "
      "(partial={dp} on the reduce) or all_reduce it");
}

TEST(PlanPipeline, StandsInProgramsOnly) {
  const std::string text = R"(isoshard 1
mesh @m [pp=1]
global @x : f32[1] input
func @s(%x: f32[1]) on @m -> f32[1] {
  %y = negate %x
  return %y
}
func @l(%y: f32[1]) on @m -> f32[] {
  %l = reduce %y {op=add, dims=[0]}
  return %l
}
KIND @p on @m {
  %x = view @x [-]
  %l = pipeline @s(%x) @l() {axis=pp, microbatches=1, schedule="GPipe"}
  return @l = %l []
}
)";
  EXPECT_EQ(
      error_of(with(text, "KIND", "untyped program")),
      "V-pipeline pipeline: stands in an untyped program; expected the body of a typed program, whose ranks each run "
      "a stage");
  EXPECT_EQ(error_of(with(text, "KIND", "program")), "");
}

/// All sends and receives of a rank in one queue, in the order in which they are issued.
Plan on_one_queue(Plan plan) {
  for (Communicator& c : plan.communicators) c.queue = QueueId(1);
  for (RankGroup& group : plan.groups) {
    for (Block& block : group.blocks) {
      std::vector<InstructionId> all;
      for (size_t q = 1; q < block.queues.size(); ++q) {
        const std::vector<InstructionId> own = std::exchange(block.queues[q].instructions, {});
        all.insert(all.end(), own.begin(), own.end());
      }
      std::sort(all.begin(), all.end());
      if (!all.empty()) block.queues[1].instructions = std::move(all);
    }
  }
  for (const Instruction& i : plan.instructions) plan.instructions.set_waits(i.id, {});
  set_waits(plan);
  set_last_uses(plan);
  return plan;
}

TEST(PlanPipeline, NoLaunchOrderDeadlocks) {
  for (const std::string schedule : {"GPipe", "1F1B", "ZB-H1"}) {
    PipelineFile f;
    f.stages = 4;
    f.micro_batches = 6;
    f.schedule = "schedule=\"" + schedule + "\"";
    const std::optional<Module> module = module_of(pipeline_text(f));
    ASSERT_TRUE(module);
    const Plan plan = lower(*module, *module->find_program("pipelined"));
    const std::vector<sim::Value> globals = ramps_for(plan);
    const Result<sim::RunResult> own = sim::run(plan, sim::float_domain(), globals);
    ASSERT_TRUE(own.has_value()) << own.error().message;
    for (const int workers : {1, 2, 8}) {
      sim::RunOptions options;
      options.workers = workers;
      options.small_work = 0;
      options.interleave_seed = static_cast<uint64_t>(workers);
      const Result<sim::RunResult> result = sim::run(on_one_queue(plan), sim::float_domain(), globals, options);
      ASSERT_TRUE(result.has_value()) << result.error().message;
      for (size_t o = 0; o < plan.outputs.size(); ++o) {
        for (size_t b = 0; b < own->outputs[o].size(); ++b) {
          EXPECT_TRUE(sim::same_bits(own->outputs[o][b].value, result->outputs[o][b].value)) << plan.outputs[o].name;
        }
      }
    }
  }
}

/// Pipelines that run and compute something else: each is rejected, with the factor where there is one.
TEST(PlanPipeline, WrongPipelines) {
  PipelineFile f;
  f.stages = 3;
  f.data = 2;
  const auto ratio = [&](const std::string& from, const std::string& to, const std::string& output) -> std::string {
    const verify::CheckReport report = report_of(with(pipeline_text(f), from, to));
    EXPECT_EQ(report.exit_code(), 1) << to;
    for (const verify::OutputReport& o : report.outputs) {
      if (o.name == output) return o.ring.ratio ? verify::to_string(*o.ring.ratio) : "differs";
    }
    return "no such output";
  };
  // The gradient is divided by the number of micro-batches twice.
  EXPECT_EQ(
      ratio("%gU = all_reduce %dU {axis=dp}", "%gu = all_reduce %dU {axis=dp}\n  %gU = divide %gu, (micro)", "dU"),
      "1/4");
  // Losses are divided by the whole batch, and averaged once more.
  EXPECT_EQ(ratio("divide %l, (bm * size(dp))", "divide %l, (b)", "loss"), "1/4");
  // Losses are means over micro-batches, and summed.
  EXPECT_EQ(ratio("microbatches=micro,", "microbatches=micro, loss_of=sum,", "dV"), "4");
  // Labels of other micro-batches.
  EXPECT_EQ(ratio("%t = view @t [dp] as I{tp}", "%t0 = view @t [dp] as I{tp}\n  %t = reverse %t0 {dims=[0]}", "loss"),
            "differs");
  // A gradient that waits for its sum over data parallelism.
  EXPECT_EQ(ratio("%gh = all_reduce %dh {axis=(dp, pp)}",
                  "%gp = all_reduce %dh {axis=(dp, pp)}\n  %gh = multiply %gp, 2", "dh"),
            "2");
}

}  // namespace
}  // namespace isoshard::testing::plan_pipeline_test
