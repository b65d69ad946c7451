// Where instructions and actions stand in charts: known schedules, queues side by side, ranks that wait in a circle.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/plan/memory/live_memory.h"
#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "core/text/plan/plan_text.h"
#include "pictures/chart/pipeline_grid.h"
#include "pictures/chart/queue_chart.h"
#include "pictures/terminal/grid_text.h"
#include "tests/models_testing.h"

namespace isoshard::pictures::charts_test {
namespace {

Plan model(const std::string& name, std::vector<MeshAxis> mesh, std::vector<SettingValue> settings = {}) {
  const Module module = testing::made({name, std::move(mesh), std::move(settings)});
  return lower(module, module.checks.at(0).left);
}

Plan pipeline(const char* schedule) {
  return model("pipeline", {{"pp", 4}}, {{"schedule", schedule}, {"micro_batches", "8"}});
}

Plan plan_file(const std::string& text) {
  const auto file = std::make_shared<const SourceFile>(SourceFile{"a.plan", text});
  DiagnosticSink sink;
  std::optional<text::PlanFile> plan = text::read_plan(file, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  return plan ? plan->plan : Plan();
}

TEST(PipelineGrid, HasTheBubblesThatPapersCount) {
  // (p - 1) slots at the start and at the end of m micro-batches: 2 (p - 1) of 2 (m + p - 1) for each of p ranks.
  for (const char* schedule : {"GPipe", "1F1B"}) {
    const std::vector<PipelineGrid> grids = pipeline_grids(pipeline(schedule));
    ASSERT_EQ(grids.size(), 1U) << schedule;
    EXPECT_EQ(grids[0].slots, 2 * (8 + 3)) << schedule;
    EXPECT_EQ(grids[0].actions(), 4 * 2 * 8) << schedule;
    EXPECT_EQ(grids[0].bubbles(), 4 * 2 * 3) << schedule;
    EXPECT_EQ(grids[0].summary(), "4 stages on 4 groups of ranks, 64 actions in 22 slots, 24 bubbles (27%)");
  }
  // ZB-H1 has a third of them: p - 1 for each rank.
  const std::vector<PipelineGrid> split = pipeline_grids(pipeline("ZB-H1"));
  ASSERT_EQ(split.size(), 1U);
  EXPECT_EQ(split[0].bubbles(), 4 * 3);
}

TEST(PipelineGrid, PlacesNothingBeforeWhatItNeeds) {
  for (const char* schedule : {"GPipe", "1F1B", "ZB-H1"}) {
    std::map<std::string, int64_t> slots;
    const std::vector<PipelineGrid> grids = pipeline_grids(pipeline(schedule));
    for (const GridRow& row : grids.at(0).rows) {
      int64_t before = -1;
      for (const GridCell& cell : row.cells) {
        EXPECT_GT(cell.slot, before);
        before = cell.slot;
        EXPECT_TRUE(slots.emplace(to_string(cell.action), cell.slot).second) << "each action once";
      }
    }
    for (int64_t s = 1; s < 4; ++s) {
      for (int64_t m = 0; m < 8; ++m) {
        const auto at = [&](int64_t stage, char kind) {
          return slots.at(std::to_string(stage) + kind + std::to_string(m));
        };
        const char back = slots.count("0I0") != 0 ? 'I' : 'B';
        EXPECT_LT(at(s - 1, 'F'), at(s, 'F'));
        EXPECT_LT(at(s, back), at(s - 1, back));
      }
    }
  }
}

TEST(PipelineGrid, IsNoneWithoutAPipeline) { EXPECT_TRUE(pipeline_grids(model("tp_mlp", {})).empty()); }

TEST(GridText, FoldsAtAWidthAndKeepsEveryAction) {
  const PipelineGrid grid = pipeline_grids(pipeline("1F1B")).at(0);
  const std::string whole = grid_text(grid, false, 0);
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 1 + 1 + 4);
  for (const int64_t width : {1, 20, 60, 80}) {
    const std::string folded = grid_text(grid, false, width);
    for (const GridRow& row : grid.rows) {
      for (const GridCell& cell : row.cells) EXPECT_NE(folded.find(" " + to_string(cell.action)), std::string::npos);
    }
    std::istringstream lines(folded);
    std::string line;
    std::getline(lines, line);  // the summary
    while (std::getline(lines, line)) EXPECT_LE(static_cast<int64_t>(line.size()), std::max<int64_t>(width, 9)) << line;
  }
  EXPECT_EQ(whole.find('\x1b'), std::string::npos);
  EXPECT_NE(grid_text(grid, true, 0).find("\x1b[44;97m0F0\x1b[0m"), std::string::npos);
}

TEST(QueueChart, LetsQueuesRunSideBySideAndTokensWait) {
  const Plan plan = model("ring_matmul", {{"data", 1}, {"model", 3}});
  const QueueChart chart = queue_chart(plan);
  ASSERT_EQ(chart.lanes.size(), 2U);
  EXPECT_FALSE(chart.stuck);
  std::map<size_t, int64_t> slots;
  size_t runs = 0;
  for (const ChartLane& lane : chart.lanes) {
    for (const ChartRun& run : lane.runs) slots[run.id.index()] = run.slot;
    runs += lane.runs.size();
  }
  EXPECT_EQ(runs, plan.instructions.size());
  EXPECT_LT(chart.slots, static_cast<int64_t>(runs)) << "queues overlap";
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    for (const Token& token : plan.instructions[i].waits) EXPECT_LT(slots.at(token.instruction.index()), slots.at(i));
  }
}

constexpr const char* kCrossed = R"(isoshard-plan 1
plan @crossed on @m [pp=2]
global @x : f32[2,3] input
output @y: f32[2,3]
communicator pp on messages

ranks first [0] {
  queue compute
    #0 %x = load @x [pp of 2, -] : f32[1,3]
    #3 store %got {output=@y, block=[pp of 2, -]}  after #2  frees %got
  queue messages
    #1 send %x {group=pp, dst=1}  after #0  frees %x
    #2 %got = recv {group=pp, src=1} : f32[1,3]
}

ranks second [1] {
  queue compute
    #4 %x2 = load @x [pp of 2, -] : f32[1,3]
    #7 store %got2 {output=@y, block=[pp of 2, -]}  after #RECEIVE  frees %got2
  queue messages
SECOND
}
)";

/// The second rank receives before it sends, or sends first as the other one does.
Plan crossed(bool right) {
  std::string text = kCrossed;
  const std::string receive = " %got2 = recv {group=pp, src=0} : f32[1,3]",
                    send = " send %x2 {group=pp, dst=0}  after #4  frees %x2";
  text.replace(text.find("#RECEIVE"), 8, right ? "#5" : "#6");
  text.replace(text.find("SECOND"), 6,
               right ? "    #5" + receive + "\n    #6" + send : "    #5" + send + "\n    #6" + receive);
  return plan_file(text);
}

TEST(QueueChart, MarksRanksThatWaitInACircle) {
  const QueueChart right = queue_chart(crossed(true)), wrong = queue_chart(crossed(false));
  EXPECT_FALSE(right.stuck);
  EXPECT_TRUE(wrong.stuck);
  size_t begun = 0;
  for (const ChartLane& lane : wrong.lanes) {
    for (const ChartRun& run : lane.runs) begun += run.begins ? 1 : 0;
  }
  EXPECT_EQ(begun, 2U) << "only both loads";
}

TEST(MemoryOverTime, HasItsLargestAtThePeak) {
  for (const char* name : {"tp_mlp", "scan_mlp", "train_step", "pipeline"}) {
    const Plan plan = model(name, {});
    for (const RankGroup& group : plan.groups) {
      double most = 0;
      for (const MemoryMoment& moment : memory_over_time(plan, group)) most = std::max(most, moment.bytes);
      EXPECT_EQ(most, memory_peak(plan, group).bytes) << name;
    }
  }
}

}  // namespace
}  // namespace isoshard::pictures::charts_test
