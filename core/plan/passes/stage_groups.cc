// Which ranks run the same stages. A pipeline cuts the ranks by their coordinates along its axis; pipelines along
// several axes cut them by their places on all of these, and a pipeline then runs once for each place on the other
// axes, on ranks of its own. Groups are numbered by place, first axis first, ranks in a group ascend. Cost: one pass
// over the mesh.
#include "core/plan/passes/stage_groups.h"

#include <map>
#include <string>
#include <utility>

namespace isoshard {

StageGroups::StageGroups(const Program& program, const PartsByOp& parts) : mesh_(program.mesh()) {
  for (const auto& [id, functions] : parts) {
    const AxisId axis = std::get<PipelineRun>(program.op(id).data).axis.axes[0];
    if (!axes_.set().contains(axis)) axes_.axes.push_back(axis);
  }
  if (axes_.empty()) return;
  positions_.resize(static_cast<size_t>(mesh_.size(axes_)));
  for (int64_t p = 0; p < mesh_.device_count(); ++p) {
    positions_[static_cast<size_t>(mesh_.index_in(axes_, p))].push_back(p);
  }
}

void StageGroups::begin(PlanBuilder& out) const {
  for (const std::vector<int64_t>& ranks : positions_) {
    std::string name;
    for (const AxisId axis : axes_.axes) {
      name += (name.empty() ? "" : ", ") + mesh_.axis(axis).name + "=" +
              std::to_string(mesh_.coordinate(ranks.front(), axis));
    }
    out.begin_group(std::move(name), ranks);
  }
}

std::vector<std::vector<size_t>> StageGroups::chains_along(const Group& axis) const {
  std::map<int64_t, std::vector<size_t>> chains;  // by the rank of the first stage
  for (size_t group = 0; group < positions_.size(); ++group) {
    const int64_t rank = positions_[group].front();
    std::vector<size_t>& chain = chains[mesh_.leader(axis, rank)];
    chain.resize(static_cast<size_t>(mesh_.size(axis)));
    chain[static_cast<size_t>(mesh_.index_in(axis, rank))] = group;
  }
  std::vector<std::vector<size_t>> result;
  for (auto& [leader, chain] : chains) result.push_back(std::move(chain));
  return result;
}

}  // namespace isoshard
