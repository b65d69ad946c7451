#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard {

/// One run of an instruction on a rank, as it is issued.
struct IssuedRun {
  InstructionId instruction;
  uint32_t stream = 0;            ///< an index of SyncPlan::streams
  uint32_t iterations = 0;        ///< where those of the loops around begin in SyncPlan::iterations, outermost first
  uint32_t loops = 0;             ///< around
  bool awaited = false;           ///< a run on another stream waits for it
  std::vector<uint32_t> waits{};  ///< earlier runs, on other streams, that it waits for
};

/// All runs of a rank group in issue order, with queues as streams and the fewest waits that keep the Plan's order.
struct SyncPlan {
  std::vector<QueueId> streams;
  std::vector<IssuedRun> runs;
  std::vector<int64_t> iterations;
  size_t tokens = 0;  ///< of the Plan, each as often as its instruction runs
  size_t waits = 0;   ///< that are left, those for the bound `ahead` of loops among them

  std::span<const int64_t> iterations_of(const IssuedRun& run) const {
    return std::span(iterations).subspan(run.iterations, run.loops);
  }
};

/// How many runs of instructions each rank of a group issues; a double, because counts in a file are only claims.
double run_count(const RankGroup& group);

/// The runs of `group`, loops iteration by iteration. An order of streams and waits implies all that queues, tokens and
/// the bound `ahead` of loops say, and nothing else (docs/spec/plan.md, "Order and tokens").
SyncPlan sync_plan(const Plan& plan, const RankGroup& group);

}  // namespace isoshard
