#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/plan.h"

/// What pictures of a Plan show, without a picture (docs/adr/0093-pages.md).
namespace isoshard::pictures {

/// An instruction on a lane of a chart. Of a loop one iteration stands for all.
struct ChartRun {
  InstructionId id;
  int64_t slot = 0;
  bool begins = true;            ///< false: its rank waits for others that wait for it
  const Repeat* loop = nullptr;  ///< the innermost loop around it
};

/// One queue of one group of ranks.
struct ChartLane {
  size_t group = 0;
  std::string queue;
  std::vector<ChartRun> runs;
};

/// The queues of a Plan over slots: each instruction stands in the first slot that the order leaves to it.
///
/// The order is that of queues and tokens, and of messages and collectives between groups, of which a rank is looked at
/// each. Slots are counted, not timed: every instruction takes one.
struct QueueChart {
  std::vector<ChartLane> lanes;  ///< those with instructions, group by group
  int64_t slots = 0;
  bool stuck = false;  ///< some run does not begin
};

/// The chart of `plan`. The Plan must outlive it.
QueueChart queue_chart(const Plan& plan);

}  // namespace isoshard::pictures
