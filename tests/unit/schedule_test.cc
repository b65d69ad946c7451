// Action lists of pipelines: PyTorch's text, its GPipe and 1F1B byte by byte (tests/data/pipeline_schedules), and what
// makes lists a schedule.
#include "core/schedule/schedules.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <utility>

namespace isoshard::schedule {
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
      const std::optional<ActionLists> lists = by_name(name, stages, micro_batches);
      ASSERT_TRUE(lists);
      EXPECT_EQ(to_csv(*lists), text);
      const Result<ActionLists> parsed = read(text);
      ASSERT_TRUE(parsed.has_value());
      EXPECT_EQ(*parsed, *lists);
    }
  }
  EXPECT_FALSE(by_name("gpipe", 2, 4));
}

TEST(Schedules, FewerMicroBatchesThanStages) {
  EXPECT_EQ(to_csv(one_f_one_b(4, 2)), "0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n2F0,2F1,2B0,2B1\n3F0,3B0,3F1,3B1\n");
  EXPECT_EQ(to_csv(one_f_one_b(1, 2)), "0F0,0B0,0F1,0B1\n");
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
  const auto error = [](const std::string& text) { return schedule_error(*read(text), 2, 2).value_or(""); };
  EXPECT_EQ(error("0F0,0F1,0B1,0B0\n1F1,1F0,1B0,1B1\n"), "");
  EXPECT_EQ(error("0F0,0F1,0B0,0B1\n1F0,1F1,1I0,1B1,1W0\n"), "");
  EXPECT_EQ(error("0F0,0F1,0B0,0B1\n"), "there are 1 lists; expected one per rank, 2");
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
  EXPECT_EQ(error("2F0\n\n"), "rank 0: 2F0 names stage 2; there are 2 stages");
  EXPECT_EQ(error("0F2\n\n"), "rank 0: 0F2 names micro-batch 2; there are 2");
  EXPECT_EQ(error("0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0\n"),
            "no rank can go on: rank 0 waits with 0B0 for 1B0, rank 1 waits with 1F1 for 0F1");
}

TEST(Schedules, AnOrderOfAllActions) {
  for (const std::string& name : schedule_names()) {
    for (int64_t stages = 1; stages <= 5; ++stages) {
      for (int64_t micro_batches = 1; micro_batches <= 9; ++micro_batches) {
        const ActionLists lists = *by_name(name, stages, micro_batches);
        EXPECT_EQ(schedule_error(lists, stages, micro_batches), std::nullopt);
        std::map<std::string, size_t> place;
        const std::vector<Action> order = issue_order(lists);
        EXPECT_EQ(order.size(), static_cast<size_t>(2 * stages * micro_batches));
        for (size_t i = 0; i < order.size(); ++i) place[to_string(order[i])] = i;
        for (const Action& a : order) {
          const auto after = [&](Action b) { return place.at(to_string(a)) > place.at(to_string(b)); };
          if (a.kind == ActionKind::backward) {
            EXPECT_TRUE(after({a.stage, ActionKind::forward, a.micro_batch}));
          }
          if (a.kind == ActionKind::forward && a.stage > 0) {
            EXPECT_TRUE(after({a.stage - 1, a.kind, a.micro_batch}));
          }
          if (a.kind == ActionKind::backward && a.stage + 1 < stages) {
            EXPECT_TRUE(after({a.stage + 1, a.kind, a.micro_batch}));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace isoshard::schedule
