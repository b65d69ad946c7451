// Causes inside the stages of pipelines: a wrong stage is reported at its line, whatever the schedule; its right twin
// is equal.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/plan/passes/lower.h"
#include "core/plan/passes/plan_builder.h"
#include "tests/pipelines_testing.h"
#include "tests/sanitized.h"
#include "verify/answers/words.h"
#include "verify/matching/pipeline_values.h"

namespace isoshard::testing::verify_pipeline_test {
namespace {

/// A change of pipeline_text, and what the report says of it.
struct Wrong {
  std::string from, to;
  std::string line;   ///< the guilty one, without its indentation
  std::string cause;  ///< how it ends or what stands in it
};

const std::vector<Wrong>& wrongs() {
  static const std::vector<Wrong> all{
      {"%r = all_reduce %p {axis=tp, to=I}\n  %y = add %x, %r", "%y = add %x, %p", "%y = add %x, %p",
       "missing all_reduce of %0F0.p over `tp` before add"},
      {"%xr = reinterpret %x {axis=tp, to=R}\n  %z = dot_general %xr", "%z = dot_general %x",
       "%z = dot_general %x, %U {contract=[1]x[0]}", "over `tp` before add"},
      {"%a = tanh %z", "%h = tanh %z\n  %a = multiply %h, 7", "%a = multiply %h, 7", "%0F0.a is 7x too large"},
      // The gradient of one step only: z + 6 (z - stop_gradient z).
      {"%a = tanh %z",
       "%zs = stop_gradient %z\n  %d0 = subtract %z, %zs\n  %d1 = multiply %d0, 6\n"
       "  %d2 = add %z, %d1\n  %a = tanh %d2",
       "%d1 = multiply %d0, 6", "is 6x too large"},
      {"%a = tanh %z", "%a = logistic %z", "%a = logistic %z", ""},
      {"divide %l, (bm * size(dp))", "divide %l, (bm * micro * size(dp))", "pipeline", "(= 1/microbatches)"},
      {"%gU = all_reduce %dU {axis=dp}", "%gu = all_reduce %dU {axis=dp}\n  %gU = divide %gu, (micro)",
       "%gU = divide %gu, (micro)", "%gU is 5x too small (= 1/microbatches)"},
      {"%gh = all_reduce %dh {axis=(dp, pp)}", "%gh = all_reduce %dh {axis=dp}", "return @dh = %gh [-]",
       "missing all_reduce of %gh over `pp` before return"},
      {"%gV = all_reduce %dV {axis=dp}", "%gV = add %dV, 0.0", "return @dV = %gV [stack pp, tp, -]",
       "missing all_reduce of %gV over `dp` before return"},
      {"%t = view @t [dp] as I{tp}", "%t0 = view @t [dp] as I{tp}\n  %t = reverse %t0 {dims=[0]}",
       "%t = reverse %t0 {dims=[0]}", ""},
  };
  return all;
}

/// Of the first check of a file that may have state errors.
verify::CheckReport report_with_errors(const std::string& text) {
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"pipeline.shard", text});
  const std::optional<Module> module = text::parse_module(file, {}, sink);
  if (!module) return {};
  return verify::check(*module, module->checks.front());
}

TEST(VerifyPipeline, AWrongStageIsReportedAtItsLine) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  for (const std::string schedule : {"GPipe", "1F1B", "ZB-H1"}) {
    PipelineFile f;
    f.data = f.model = 2;
    f.stages = schedule == "ZB-H1" ? 3 : 2;
    f.micro_batches = 5;
    f.rows = schedule == "GPipe" ? 2 : 1;
    f.schedule = "schedule=\"" + schedule + "\"";
    const std::string right = pipeline_text(f);
    EXPECT_EQ(report_of(right).exit_code(), 0) << schedule;
    for (const Wrong& wrong : wrongs()) {
      const verify::CheckReport report = report_with_errors(with(right, wrong.from, wrong.to));
      EXPECT_EQ(report.exit_code(), 1) << wrong.to;
      EXPECT_NE(report.diagnosis.value, "") << schedule << " " << wrong.to;
      const std::string line = verify::source_of(report.diagnosis.location);
      EXPECT_NE(line.find(wrong.line), std::string::npos) << line << "\nfor " << wrong.to;
      EXPECT_NE(report.diagnosis.cause.find(wrong.cause), std::string::npos) << report.diagnosis.cause;
    }
  }
}

/// Which values belong together: micro-batches of a step, parts of a program's value.
TEST(VerifyPipeline, ValuesOfGroupsMakeUpValuesOfTheProgram) {
  PipelineFile f;
  f.model = 2;
  f.micro_batches = 3;
  const std::optional<Module> module = module_of(pipeline_text(f));
  ASSERT_TRUE(module);
  const Plan plan = lower(*module, *module->find_program("pipelined"));
  const verify::GroupValues groups(plan);
  EXPECT_EQ(groups.micro_batch_count(), 3);
  const auto find = [&](const std::string& name) {
    for (size_t v = 0; v < plan.values.size(); ++v) {
      if (plan.values[v].name() == name) return PlanValueId(v);
    }
    ADD_FAILURE() << name;
    return PlanValueId();
  };
  std::vector<std::string> names;
  for (const PlanValueId id : groups.micro_batches(find("0F1.y"))) names.push_back(plan.value(id).name());
  EXPECT_EQ(names, (std::vector<std::string>{"0F0.y", "0F1.y", "0F2.y"}));
  EXPECT_TRUE(groups.micro_batches(find("dU")).empty());
  EXPECT_FALSE(groups.is_backward(find("0F1.y")));
  EXPECT_TRUE(groups.is_backward(find("1B2.received")));
  // Positions: dp = 0, pp, tp. Stage 0 has 0 and 1, stage 1 has 2 and 3.
  EXPECT_EQ(groups.stands_for(1), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(groups.home(find("0F1.y"), 2), 0);
  EXPECT_EQ(groups.home(find("0F1.y"), 1), 1);
  EXPECT_EQ(groups.home(find("0F1.received"), 0), 2);
  const std::vector<PlanValueId>& parts = groups.all_groups(find("ll"));
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0], parts[1]);
  EXPECT_EQ(parts[2], parts[3]);
  EXPECT_NE(parts[0], parts[2]);
  EXPECT_TRUE(groups.all_groups(find("0F1.y")).empty());
}

/// Users may name a value as actions are called; an instruction says itself which action it is part of.
TEST(VerifyPipeline, NamesOfValuesAreNoActions) {
  const auto mesh = std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"pp", 2}});
  const TensorType type{DType::f32, {4}};
  for (const bool actions : {false, true}) {
    PlanBuilder builder(mesh);
    std::vector<PlanValueId> members;
    for (int64_t stage = 0; stage < 2; ++stage) {
      builder.begin_group("pp=" + std::to_string(stage), {stage});
      for (int64_t k = 0; k < 2; ++k) {
        if (actions) builder.begin_action({0, {stage, schedule::ActionKind::forward, k}});
        const std::string name = actions ? "y" : std::to_string(stage) + "F" + std::to_string(k) + ".y";
        members.push_back(builder.local(Constant{Rational(k), DType::f32, {4}}, {}, type, name));
        builder.end_action();
      }
    }
    const Plan plan = builder.finish();
    const verify::GroupValues groups(plan);
    EXPECT_EQ(groups.micro_batch_count(), actions ? 2 : 1);
    const std::vector<PlanValueId> of_stage_0{members[0], members[1]};
    EXPECT_EQ(groups.micro_batches(members[1]), actions ? of_stage_0 : std::vector<PlanValueId>{});
  }
}

}  // namespace
}  // namespace isoshard::testing::verify_pipeline_test
