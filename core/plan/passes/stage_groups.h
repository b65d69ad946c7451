#pragma once  // internal

#include <cstdint>
#include <vector>

#include "core/ir/program.h"
#include "core/plan/passes/lower_pipeline.h"
#include "core/plan/passes/plan_builder.h"

namespace isoshard {

/// The rank groups of a program with pipelines: one per place on the axes of all of them, where ranks run one stage of
/// each.
class StageGroups {
 public:
  StageGroups(const Program& program, const PartsByOp& parts);

  size_t size() const { return positions_.size(); }
  /// Begins all groups: `pp=0`, or along several axes `pp=0, rr=1`.
  void begin(PlanBuilder& out) const;
  /// The groups that run the stages of a pipeline along `axis`, in stage order, for each place on the other axes.
  std::vector<std::vector<size_t>> chains_along(const Group& axis) const;

 private:
  const Mesh& mesh_;
  Group axes_;                                   ///< of pipelines, in the order of the ops
  std::vector<std::vector<int64_t>> positions_;  ///< per group, sorted
};

}  // namespace isoshard
