// What a Plan takes for each instruction of a pipeline: counted in its tables, so that it is the same on every machine.
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>

#include "core/plan/passes/lower.h"
#include "core/plan/plan_bytes.h"
#include "tests/pipelines_testing.h"

namespace isoshard::testing::plan_bytes_test {
namespace {

struct Size {
  double instructions = 0, bytes = 0;
};

Size size_of(int64_t micro_batches) {
  PipelineFile f;
  f.stages = 4;
  f.micro_batches = micro_batches;
  const std::string text = pipeline_text(f);
  const std::optional<Module> module = module_of(text.substr(0, text.find("check ")));  // without its reference
  if (!module) return {};
  const Plan plan = lower(*module, *module->find_program("pipelined"));
  return {static_cast<double>(plan.instructions.size()), static_cast<double>(stored_bytes(plan))};
}

TEST(PlanBytes, AreFewForEachInstructionOfAPipeline) {
  const Size small = size_of(100), large = size_of(1000);
  ASSERT_GT(large.instructions - small.instructions, 50000);
  EXPECT_LE((large.bytes - small.bytes) / (large.instructions - small.instructions), 60)
      << "also for those of the first and last stage, which cut a row of their own for each micro-batch";
}

TEST(PlanBytes, CountWhatListsLose) {
  PipelineFile f;
  const std::optional<Module> module = module_of(pipeline_text(f));
  ASSERT_TRUE(module);
  Plan plan = lower(*module, *module->find_program("pipelined"));
  const size_t before = plan.instructions.lost_bytes();
  EXPECT_LE(before, 4 * plan.instructions.size());
  plan.instructions.set_waits(InstructionId(0), std::vector<Token>(8, Token{InstructionId(0), false}));
  EXPECT_GT(plan.instructions.lost_bytes(), before);
}

}  // namespace
}  // namespace isoshard::testing::plan_bytes_test
