// Action lists of pipelines: PyTorch's text, its GPipe and 1F1B byte by byte, its schedules of several stages per rank
// but for bubbles (tests/data/pipeline_schedules), and what makes lists a schedule.
#include "core/schedule/schedules.h"
#include "core/support/result.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

namespace isoshard::schedule::schedule_test {
namespace {

std::string file(const std::string& name) {
  std::ifstream in("tests/data/pipeline_schedules/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

Result<ActionLists> read(const std::string& text) {
  return parse_csv(std::make_shared<SourceFile>(SourceFile{"actions.csv", text}));
}

TEST(Schedules, TheTextsOfPyTorch) {
  for (const auto& [stages, micro_batches] : {std::pair(2, 4), std::pair(4, 8)}) {
    for (const std::string name : {"GPipe", "1F1B"}) {
      const std::string text =
          file(name + "_pp" + std::to_string(stages) + "_v1_mb" + std::to_string(micro_batches) + ".compute.csv");
      ASSERT_FALSE(text.empty());
      const Result<ActionLists> lists = by_name(name, {stages}, micro_batches);
      ASSERT_TRUE(lists.has_value());
      EXPECT_EQ(to_csv(*lists), text);
      const Result<ActionLists> parsed = read(text);
      ASSERT_TRUE(parsed.has_value());
      EXPECT_EQ(*parsed, *lists);
    }
  }
}

ActionLists without_bubbles(ActionLists lists) {
  for (RankActions& rank : lists) std::erase(rank, std::nullopt);
  return lists;
}

struct OfPyTorch {
  std::string name;
  Placement placement;
  int64_t micro_batches;
  std::string file_name() const {
    return name + "_pp" + std::to_string(placement.ranks) + "_v" + std::to_string(placement.per_rank) + "_mb" +
           std::to_string(micro_batches) + ".compute.csv";
  }
};

TEST(Schedules, SeveralStagesPerRankAsPyTorchHasThem) {
  const OfPyTorch rows[] = {{"Interleaved1F1B", {2, 2}, 4},
                            {"Interleaved1F1B", {4, 2}, 3},
                            {"Interleaved1F1B", {4, 2}, 8},
                            {"Interleaved1F1B", {4, 3}, 8},
                            {"LoopedBFS", {2, 2}, 4},
                            {"LoopedBFS", {4, 2}, 8},
                            {"LoopedBFS", {4, 3}, 8},
                            {"ZBVZeroBubble", {2, 2, Style::v}, 4},
                            {"ZBVZeroBubble", {4, 2, Style::v}, 8},
                            {"InterleavedZeroBubble", {2, 2}, 8},
                            {"InterleavedZeroBubble", {4, 2}, 8},
                            {"InterleavedZeroBubble", {4, 3}, 8}};
  for (const OfPyTorch& row : rows) {
    const Result<ActionLists> parsed = read(file(row.file_name()));
    ASSERT_TRUE(parsed.has_value() && !parsed->empty()) << row.file_name();
    const std::optional<ScheduleError> error = schedule_error(*parsed, row.placement, row.micro_batches);
    EXPECT_FALSE(error) << row.file_name() << ": " << error->message;
    if (row.name == "InterleavedZeroBubble") continue;  // known by its actions only
    const Result<ActionLists> made = by_name(row.name, row.placement, row.micro_batches);
    ASSERT_TRUE(made.has_value()) << row.file_name();
    EXPECT_EQ(*made, without_bubbles(*parsed)) << row.file_name();
  }
}

TEST(Schedules, WhatTheyWant) {
  const auto error = [](const std::string& name, const Placement& placement, int64_t micro_batches) {
    const Result<ActionLists> lists = by_name(name, placement, micro_batches);
    return lists ? "" : lists.error().rule + " " + lists.error().message;
  };
  EXPECT_EQ(error("gpipe", {2}, 4),
            "V-schedule there is no schedule \"gpipe\"; expected one of \"GPipe\", \"1F1B\", \"ZB-H1\", \"LoopedBFS\", "
            "\"Interleaved1F1B\", \"ZBVZeroBubble\"");
  EXPECT_EQ(error("1F1B", {2, 2}, 4), "V-schedule the schedule \"1F1B\" wants one stage per rank");
  EXPECT_EQ(error("LoopedBFS", {2, 2, Style::v}, 4), "V-schedule the schedule \"LoopedBFS\" wants placement=loop");
  EXPECT_EQ(error("ZBVZeroBubble", {2, 2}, 4),
            "V-schedule the schedule \"ZBVZeroBubble\" wants stages_per_rank=2 and placement=v");
  EXPECT_EQ(error("Interleaved1F1B", {2, 2}, 5),
            "V-schedule the schedule \"Interleaved1F1B\" wants micro-batches that 2 rounds of at least 2 have in equal "
            "parts, and there are 5");
  EXPECT_EQ(error("Interleaved1F1B", {4, 2}, 5), "");  // one round
}

TEST(Schedules, StagesStandAroundOrThereAndBack) {
  const auto stages = [](const Placement& placement, int64_t rank) {
    std::vector<int64_t> result;
    for (int64_t c = 0; c < placement.per_rank; ++c) result.push_back(placement.stage_of(rank, c));
    return result;
  };
  EXPECT_EQ(stages({3, 3}, 1), (std::vector<int64_t>{1, 4, 7}));
  EXPECT_EQ(stages({3, 3, Style::v}, 0), (std::vector<int64_t>{0, 5, 6}));
  EXPECT_EQ(stages({3, 3, Style::v}, 2), (std::vector<int64_t>{2, 3, 8}));
  for (const Style style : {Style::loop, Style::v}) {
    const Placement placement{4, 3, style};
    for (int64_t stage = 0; stage < placement.stages(); ++stage) {
      EXPECT_EQ(placement.stage_of(placement.rank_of(stage), placement.chunk_of(stage)), stage);
    }
  }
}

TEST(Schedules, FewerMicroBatchesThanStages) {
  EXPECT_EQ(to_csv(*by_name("1F1B", {4}, 2)), "0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n2F0,2F1,2B0,2B1\n3F0,3B0,3F1,3B1\n");
  EXPECT_EQ(to_csv(*by_name("1F1B", {1}, 2)), "0F0,0B0,0F1,0B1\n");
}

TEST(Schedules, BubblesAndSplitGradientsAreRead) {
  const std::string text = "0F0,,0I0,0W0\n,1F0,1B0\n";
  const Result<ActionLists> lists = read(text);
  ASSERT_TRUE(lists.has_value());
  EXPECT_EQ(to_csv(*lists), text);
  EXPECT_EQ((*lists)[0][2], (Action{0, ActionKind::input_gradient, 0}));
  EXPECT_FALSE((*lists)[1][0]);
  EXPECT_EQ(read("0F0,0B0\r\n")->size(), 1U);
}

TEST(Schedules, CellsThatAreNoActions) {
  const auto error = [](const std::string& text) {
    const Result<ActionLists> lists = read(text);
    return lists ? "" : lists.error().location.to_string() + ": " + lists.error().rule + ": " + lists.error().message;
  };
  const std::string expected = " is no action; expected stage, one of F, I, W, B, and micro-batch, as in 2F0";
  EXPECT_EQ(error("0F0,1X2\n"), "actions.csv:1:5: P-action: the cell \"1X2\"" + expected);
  EXPECT_EQ(error("0F0\n-1F0\n"), "actions.csv:2:1: P-action: the cell \"-1F0\"" + expected);
  EXPECT_EQ(error("0F0,F"), "actions.csv:1:5: P-action: the cell \"F\"" + expected);
  EXPECT_EQ(error("0F99999999999999999999"),
            "actions.csv:1:1: P-action: the cell \"0F99999999999999999999\"" + expected);
  EXPECT_EQ(error("0SEND_F0"),
            "actions.csv:1:1: P-action: the cell \"0SEND_F0\" communicates; expected computing "
            "actions only, sends and receives follow from them");
  EXPECT_EQ(error("(0F3;3B1)OVERLAP_F_B"),
            "actions.csv:1:1: P-action: the cell \"(0F3;3B1)OVERLAP_F_B\" overlaps two "
            "actions, which is not supported; expected them one by one");
}

TEST(Schedules, WhatMakesASchedule) {
  const auto error = [](const std::string& text) {
    const std::optional<ScheduleError> found = schedule_error(*read(text), {2}, 2);
    return found ? found->message : "";
  };
  EXPECT_EQ(error("0F0,0F1,0B1,0B0\n1F1,1F0,1B0,1B1\n"), "");
  EXPECT_EQ(error("0F0,0F1,0B0,0B1\n1F0,1F1,1I0,1B1,1W0\n"), "");
  EXPECT_EQ(error("0F0,0F1,0B0,0B1\n"), "there is 1 list; expected one per rank, 2");
  EXPECT_EQ(error("0F0,0F1,0B0,0B1\n1F0,1F1,1B0\n"),
            "rank 1: 1B1 is missing, the gradient of micro-batch 1 would lack");
  EXPECT_EQ(error("0F0,0B0\n1F0,1F1,1B0,1B1\n"), "rank 0: 0F1 is missing, micro-batch 1 never enters the stage");
  EXPECT_EQ(error("0F0,0F1,0I0,0B1\n1F0,1F1,1B0,1B1\n"),
            "rank 0: 0W0 is missing, the gradient of micro-batch 0 would lack");
  EXPECT_EQ(error("0F0,0F0,0B0,0B1\n\n"), "rank 0: 0F0 stands twice");
  EXPECT_EQ(error("0F0,0I0,0B0\n\n"), "rank 0: 0B0 repeats a gradient that stands there already");
  EXPECT_EQ(error("0F0,0B0,0I0\n\n"), "rank 0: 0I0 repeats a gradient that stands there already");
  EXPECT_EQ(error("0B0\n\n"), "rank 0: 0B0 comes before 0F0");
  EXPECT_EQ(error("0F0,0W0\n\n"), "rank 0: 0W0 comes before 0I0");
  EXPECT_EQ(error("1F0\n\n"), "rank 0: 1F0 belongs to rank 1");
  EXPECT_EQ(error("2F0\n\n"), "rank 0: 2F0 names stage 2; there are 2 stages, one per rank");
  EXPECT_EQ(error("0F2\n\n"), "rank 0: 0F2 names micro-batch 2; there are 2");
  EXPECT_EQ(error("0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0\n"),
            "no rank can go on: rank 0 waits with 0B0 for 1B0, rank 1 waits with 1F1 for 0F1");
}

/// Where the file says what is wrong: the action, or the one that lacks its other part.
TEST(Schedules, TheCellThatIsWrong) {
  const auto place = [](const std::string& text) -> std::string {
    const auto source = std::make_shared<SourceFile>(SourceFile{"a.csv", text});
    const std::optional<ScheduleError> error = schedule_error(*parse_csv(source), {2}, 2);
    return error && error->cell ? location_of(*error->cell, source).to_string() : "";
  };
  const std::string first = ",,0F0,0F1,0I0,0I1,0W0,0W1\r\n", second = "1F0,1F1,1I0,1I1,1W0,1W1\n";
  EXPECT_EQ(place(first + second), "");
  EXPECT_EQ(place(first + "1F0,1F1,1W0,1I0,1I1,1W1"), "a.csv:2:9");                    // W before its I
  EXPECT_EQ(place(first + "1F0,1F1,1I0,,1W0,1I1"), "a.csv:2:18");                      // 1W1 is missing
  EXPECT_EQ(place(first + "1F0,1F1,1I0,1I1,1W0,1W1,1W0"), "a.csv:2:25");               // twice
  EXPECT_EQ(place(first + "1F0,1F1,1I0,1I1,1W0,1B1"), "a.csv:2:21");                   // and as a whole
  EXPECT_EQ(place(first + "1F0,1B0"), "a.csv:2:1");                                    // nothing of micro-batch 1
  EXPECT_EQ(place("0F0,,0I0,0F1,0W0,0I1,0W1\n1F1,1I1,1F0,1I0,1W0,1W1"), "a.csv:1:6");  // a circle
  EXPECT_EQ(place("0F0,0I0,0W0\n"), "");
}

struct Costs {
  double forward, input, weight, hop;
  double of(ActionKind kind) const {
    return kind == ActionKind::forward           ? forward
           : kind == ActionKind::input_gradient  ? input
           : kind == ActionKind::weight_gradient ? weight
                                                 : input + weight;
  }
};

/// The longest time between a rank's first start and its last end: ranks in order, `hop` later on another rank.
double longest_span(const ActionLists& lists, const Costs& costs) {
  const Placement placement{static_cast<int64_t>(lists.size())};
  std::map<std::string, double> end;
  std::vector<double> free(lists.size(), 0), begin(lists.size(), -1);
  const auto at = [&](const Action& a) {
    const auto known = end.find(to_string(a));
    return known == end.end() ? 0 : known->second;
  };
  for (const Action& a : issue_order(lists, placement)) {
    const auto rank = static_cast<size_t>(a.stage);
    double ready = 0;
    const int64_t from = a.stage + (a.kind == ActionKind::forward ? -1 : 1);
    if (a.kind == ActionKind::forward) ready = at({from, a.kind, a.micro_batch});
    if (a.kind == ActionKind::input_gradient || a.kind == ActionKind::backward) {
      ready = std::max(at({from, ActionKind::input_gradient, a.micro_batch}),
                       at({from, ActionKind::backward, a.micro_batch}));
    }
    const double start = std::max(free[rank], ready == 0 ? 0 : ready + costs.hop);
    if (begin[rank] < 0) begin[rank] = start;
    free[rank] = end[to_string(a)] = start + costs.of(a.kind);
  }
  double longest = 0;
  for (size_t rank = 0; rank < lists.size(); ++rank) longest = std::max(longest, free[rank] - begin[rank]);
  return longest;
}

/// arXiv 2401.10241, tables of profiles (ms) and of bubble rates.
TEST(Schedules, TheBubbleRatesOfTheZeroBubblePaper) {
  struct Row {
    int64_t ranks, micro_batches;
    Costs costs;
    double one_f_one_b, zb_h1;
  };
  const Row rows[] = {{8, 24, {18.522, 18.086, 9.337, 0.601}, 0.2431, 0.1585},
                      {8, 32, {18.513, 18.086, 9.331, 0.626}, 0.1985, 0.1242},
                      {8, 64, {18.546, 18.097, 9.321, 0.762}, 0.1240, 0.0674},
                      {8, 24, {29.718, 29.444, 19.927, 0.527}, 0.2347, 0.1323},
                      {8, 32, {29.802, 29.428, 19.530, 0.577}, 0.1898, 0.1045},
                      {8, 64, {29.935, 29.621, 19.388, 0.535}, 0.1091, 0.0554},
                      {16, 48, {11.347, 11.248, 8.132, 0.377}, 0.2552, 0.1397}};
  for (const Row& row : rows) {
    const double work =
        static_cast<double>(row.micro_batches) * (row.costs.forward + row.costs.of(ActionKind::backward));
    const auto rate = [&](const char* name) {
      const double span = longest_span(*by_name(name, {row.ranks}, row.micro_batches), row.costs);
      return (span - work) / span;
    };
    EXPECT_NEAR(rate("1F1B"), row.one_f_one_b, 5e-5) << row.ranks << " " << row.micro_batches;
    EXPECT_NEAR(rate("ZB-H1"), row.zb_h1, 5e-5) << row.ranks << " " << row.micro_batches;
  }
}

TEST(Schedules, ZeroBubbleKeepsAsManyMicroBatchesAsOneForwardOneBackward) {
  EXPECT_EQ(to_csv(*by_name("ZB-H1", {2}, 3)),
            "0F0,0F1,0I0,0W0,0F2,0I1,0W1,0I2,0W2\n1F0,1I0,1F1,1I1,1W0,1F2,1I2,1W1,1W2\n");
  for (int64_t stages = 1; stages <= 6; ++stages) {
    const ActionLists lists = *by_name("ZB-H1", {stages}, 12);
    for (const RankActions& rank : lists) {
      int64_t alive = 0, most = 0;
      for (const std::optional<Action>& action : rank) {
        alive += action->kind == ActionKind::forward ? 1 : action->kind == ActionKind::weight_gradient ? -1 : 0;
        most = std::max(most, alive);
      }
      EXPECT_EQ(most, stages);
    }
  }
}

void expect_order(const ActionLists& lists, const Placement& placement, int64_t micro_batches) {
  EXPECT_FALSE(schedule_error(lists, placement, micro_batches));
  std::map<std::string, size_t> place;
  const std::vector<Action> order = issue_order(lists, placement);
  const int64_t kinds = splits_backwards(lists) ? 3 : 2;
  EXPECT_EQ(order.size(), static_cast<size_t>(kinds * placement.stages() * micro_batches));
  for (size_t i = 0; i < order.size(); ++i) place[to_string(order[i])] = i;
  for (const Action& a : order) {
    const auto after = [&](Action b) { return place.at(to_string(a)) > place.at(to_string(b)); };
    if (a.kind == ActionKind::weight_gradient) {
      EXPECT_TRUE(after({a.stage, ActionKind::input_gradient, a.micro_batch}));
    } else if (a.kind != ActionKind::forward) {
      EXPECT_TRUE(after({a.stage, ActionKind::forward, a.micro_batch}));
      if (a.stage < placement.last()) {
        EXPECT_TRUE(after({a.stage + 1, a.kind, a.micro_batch}));
      }
    } else if (a.stage > 0) {
      EXPECT_TRUE(after({a.stage - 1, a.kind, a.micro_batch}));
    }
  }
}

/// Of each schedule that takes the placement.
TEST(Schedules, AnOrderOfAllActions) {
  std::map<std::string, int> tried;
  const Placement shapes[] = {{0, 1}, {0, 2}, {0, 3}, {0, 2, Style::v}, {0, 3, Style::v}};
  for (const std::string& name : schedule_names()) {
    for (Placement placement : shapes) {
      for (placement.ranks = 1; placement.ranks <= 5; ++placement.ranks) {
        for (int64_t micro_batches = 1; micro_batches <= 9; ++micro_batches) {
          const Result<ActionLists> lists = by_name(name, placement, micro_batches);
          if (!lists) continue;
          ++tried[name];
          expect_order(*lists, placement, micro_batches);
        }
      }
    }
  }
  EXPECT_EQ(tried.size(), schedule_names().size());
  EXPECT_EQ(tried["1F1B"], 45);
  EXPECT_EQ(tried["LoopedBFS"], 135);
  EXPECT_EQ(tried["ZBVZeroBubble"], 45);
}

}  // namespace
}  // namespace isoshard::schedule::schedule_test
