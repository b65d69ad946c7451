// The arithmetic of a Plan takes place in its planned buffers: the same bits as with memory for each value, in random
// orders of queues. Buffers that are wrong give others.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/plan/memory/plan_memory.h"
#include "core/plan/passes/keep_outputs.h"
#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/lockstep/run.h"
#include "sim/planned/planned_arenas.h"
#include "sim/run/draw.h"
#include "tests/models_testing.h"
#include "tests/nightly.h"
#include "tests/property/random_plan.h"
#include "tests/runs_testing.h"

namespace isoshard::sim::planned_test {
namespace {

using isoshard::testing::cases;
using isoshard::testing::is_nightly;
using isoshard::testing::random_plan;
using isoshard::testing::same_outputs;

/// The outputs of a run in these buffers, or in none, in the natural order or in a random one.
Result<RunResult> outputs(const Plan& plan, const MemoryPlan* memory, std::optional<uint64_t> seed) {
  std::vector<Value> globals;
  for (const Global& global : plan.globals) globals.push_back(from_tensor(draw_global(global, 0), float_domain()));
  std::optional<PlannedArenas> arenas;
  RunOptions options;
  options.interleave_seed = seed;
  if (memory != nullptr) options.memory = &arenas.emplace(plan, *memory, float_domain());
  return run(plan, float_domain(), globals, options);
}

/// Whether a run in buffers gives the bits of one without, in a few orders.
bool keeps_bits(const Plan& plan, const MemoryPlan& memory, const RunResult& expected, uint64_t orders) {
  for (uint64_t seed = 0; seed <= orders; ++seed) {
    const Result<RunResult> result = outputs(plan, &memory, seed == 0 ? std::nullopt : std::optional(seed));
    if (!result || !same_outputs(*result, expected)) return false;
  }
  return true;
}

TEST(Planned, RandomProgramsKeepTheirBits) {
  size_t loops = 0, copied = 0;
  for (uint64_t seed = 0; seed < cases(200); ++seed) {
    for (const Reuse reuse : {Reuse::ordered, Reuse::tokens}) {
      Plan plan = random_plan(seed);
      const Result<RunResult> expected = outputs(plan, nullptr, std::nullopt);
      ASSERT_TRUE(expected.has_value()) << seed;
      const Result<MemoryPlan> memory = plan_memory(plan, reuse);
      ASSERT_TRUE(memory.has_value()) << seed;
      ASSERT_TRUE(keeps_bits(plan, *memory, *expected, 3)) << "seed " << seed << ", " << static_cast<int>(reuse);
      for (const Block& block : plan.groups.empty() ? std::vector<Block>() : plan.groups[0].blocks) {
        if (!block.repeat || block.repeat->count == 0) continue;
        ++loops;
        for (const PlanValueId part : block.repeat->parts) {
          if (memory->values[part.index()].home != Home::row) ++copied;
        }
      }
    }
  }
  EXPECT_GT(loops, 50U);
  EXPECT_GT(copied, 5U) << "parts that are copied into their rows";
}

/// In one random order; large ones only with ISOSHARD_NIGHTLY.
TEST(Planned, ProgramsOfTheCatalogueKeepTheirBits) {
  size_t tried = 0, large = 0;
  isoshard::testing::for_each_catalogue_program([&](const Module& module, ProgramId program, const std::string& name) {
    Plan plan = lower(module, program);
    const Result<MemoryPlan> memory = plan_memory(plan, Reuse::tokens);
    ASSERT_TRUE(memory.has_value()) << name;
    if (!is_nightly() && (plan.instructions.size() > 500 || arena_bytes(plan, *memory) > int64_t{1} << 20)) {
      ++large;
      return;
    }
    const Result<RunResult> expected = outputs(plan, nullptr, std::nullopt);
    ASSERT_TRUE(expected.has_value()) << name << ": " << expected.error().message;
    const Result<RunResult> result = outputs(plan, &*memory, 1);
    EXPECT_TRUE(result && same_outputs(*result, *expected)) << name;
    ++tried;
  });
  EXPECT_GT(tried, 50U) << large << " are too large";
}

/// Two operands of one instruction in the same bytes: one of them is another number then.
TEST(Planned, BuffersThatOverlapGiveOtherBits) {
  size_t mutants = 0, other = 0;
  for (uint64_t seed = 0; seed < cases(200); ++seed) {
    const Plan whole = random_plan(seed);
    Plan plan = keep_outputs(whole, std::vector<bool>(whole.outputs.size(), true));
    const Result<RunResult> expected = outputs(plan, nullptr, std::nullopt);
    const Result<MemoryPlan> memory = plan_memory(plan, Reuse::tokens);
    ASSERT_TRUE(expected.has_value() && memory.has_value()) << seed;
    for (const Instruction& instruction : plan.instructions) {
      if (instruction.operands.size() < 2 || instruction.operands[0] == instruction.operands[1]) continue;
      const ValueMemory& a = memory->values[instruction.operands[0].index()];
      const ValueMemory& b = memory->values[instruction.operands[1].index()];
      const bool both = a.home == Home::own && b.home == Home::own && b.bytes > 0 && a.bytes >= b.bytes;
      if (!both || a.offsets.size() != b.offsets.size()) continue;
      MemoryPlan mutant = *memory;
      mutant.values[instruction.operands[1].index()].offsets = a.offsets;
      ++mutants;
      if (!keeps_bits(plan, mutant, *expected, 0)) ++other;
    }
  }
  EXPECT_GT(mutants, 200U);
  EXPECT_GT(10 * other, 4 * mutants) << other << " of " << mutants << "; others are equal, or not chosen";
}

}  // namespace
}  // namespace isoshard::sim::planned_test
