#pragma once

#include <vector>

#include "core/plan/block_order.h"
#include "core/plan/plan.h"

namespace isoshard::sim {

/// What the engine looks up about a Plan, made once per run.
class PlanIndex {
 public:
  explicit PlanIndex(const Plan& plan);

  /// The queue of an instruction and its place there.
  QueuePlace place(InstructionId id) const { return places_[id.index()]; }
  /// The group of a position, or null when the Plan gives it nothing to do.
  const RankGroup* group(int64_t position) const { return groups_[static_cast<size_t>(position)]; }
  /// About how many scalar operations a run takes, all devices together.
  double work() const { return work_; }

 private:
  void add(const Plan& plan, const std::vector<Block>& blocks, double repetitions);

  std::vector<QueuePlace> places_;
  std::vector<const RankGroup*> groups_;
  double work_ = 0;
};

}  // namespace isoshard::sim
