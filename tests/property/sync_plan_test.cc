// Streams and waits keep the order of a Plan, all of it and no more, and each wait is needed. The order that they are
// compared with is that of the race verdict, which shares no code with them.
#include "core/plan/passes/sync_plan.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/plan/memory/plan_memory.h"
#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "tests/models_testing.h"
#include "tests/nightly.h"
#include "tests/property/random_plan.h"
#include "verify/race/rank_runs.h"
#include "verify/race/run_order.h"

namespace isoshard::sync_plan_test {
namespace {

using isoshard::testing::cases;
using isoshard::testing::random_plan;
using Before = std::vector<std::vector<bool>>;

/// before[b][a]: run a has finished when run b starts, by streams and waits alone; `left_out` is a wait that is
/// ignored.
Before order_of(const SyncPlan& sync, std::optional<std::pair<size_t, size_t>> left_out = std::nullopt) {
  Before before(sync.runs.size(), std::vector<bool>(sync.runs.size(), false));
  std::vector<std::optional<size_t>> last(sync.streams.size());
  const auto join = [&](size_t b, size_t a) {
    before[b][a] = true;
    for (size_t c = 0; c < a; ++c) before[b][c] = before[b][c] || before[a][c];
  };
  for (size_t b = 0; b < sync.runs.size(); ++b) {
    std::optional<size_t>& tail = last[sync.runs[b].stream];
    if (tail) join(b, *tail);
    for (size_t w = 0; w < sync.runs[b].waits.size(); ++w) {
      if (left_out != std::pair(b, w)) join(b, sync.runs[b].waits[w]);
    }
    tail = b;
  }
  return before;
}

/// The same by the order of the race verdict, or nothing where that does not walk every iteration.
std::optional<Before> expected(Plan& plan, size_t group) {
  const Result<MemoryPlan> memory = plan_memory(plan, Reuse::ordered);
  verify::RunsTables runs_tables;
  verify::RunOrder::Tables tables;
  std::string error;
  const std::optional<verify::RankRuns> runs =
      verify::rank_runs(plan, group, memory.value(), verify::RaceLoops::all, runs_tables, error);
  if (!runs) return std::nullopt;
  const verify::RunOrder order(plan, plan.groups[group], *runs, tables);
  Before before(runs->runs.size(), std::vector<bool>(runs->runs.size(), false));
  for (size_t b = 0; b < before.size(); ++b) {
    for (size_t a = 0; a < before.size(); ++a) before[b][a] = order.is_before(a, b);
  }
  return before;
}

/// What is wrong with the waits of a group, or nothing.
std::string wrong(Plan& plan, size_t group, size_t& waits) {
  const SyncPlan sync = sync_plan(plan, plan.groups[group]);
  if (sync.runs.size() > 400) return "";
  const std::optional<Before> order = expected(plan, group);
  if (!order) return "no order to compare with";
  if (order_of(sync) != *order) return "another order";
  for (size_t b = 0; b < sync.runs.size(); ++b) {
    for (size_t w = 0; w < sync.runs[b].waits.size(); ++w) {
      if (order_of(sync, std::pair(b, w)) == *order) return "wait " + std::to_string(b) + " is not needed";
      ++waits;
    }
  }
  return "";
}

TEST(SyncPlan, RandomProgramsKeepTheirOrderAndNoWaitTooMany) {
  size_t waits = 0, loops = 0;
  for (uint64_t seed = 0; seed < cases(300); ++seed) {
    Plan plan = random_plan(seed);
    for (size_t g = 0; g < plan.groups.size(); ++g) {
      ASSERT_EQ(wrong(plan, g, waits), "") << "seed " << seed;
      for (const Block& block : plan.groups[g].blocks) loops += block.repeat && block.repeat->count > 1 ? 1U : 0U;
    }
  }
  EXPECT_GT(waits, 500U);
  EXPECT_GT(loops, 20U);
}

TEST(SyncPlan, ProgramsOfTheCatalogueKeepTheirOrder) {
  size_t waits = 0;
  isoshard::testing::for_each_catalogue_program([&](const Module& module, ProgramId program, const std::string& name) {
    Plan plan = lower(module, program);
    for (size_t g = 0; g < plan.groups.size(); ++g) ASSERT_EQ(wrong(plan, g, waits), "") << name;
  });
  EXPECT_GT(waits, 300U);
}

TEST(SyncPlan, CountsTokensAndWaits) {
  Plan plan = random_plan(17);
  size_t tokens = 0, waits = 0;
  for (const RankGroup& group : plan.groups) {
    const SyncPlan sync = sync_plan(plan, group);
    EXPECT_EQ(run_count(group), static_cast<double>(sync.runs.size()));
    tokens += sync.tokens;
    waits += sync.waits;
    size_t counted = 0;
    for (const IssuedRun& run : sync.runs) counted += run.waits.size();
    EXPECT_EQ(counted, sync.waits);
  }
  EXPECT_LE(waits, tokens + 100);
}

}  // namespace
}  // namespace isoshard::sync_plan_test
