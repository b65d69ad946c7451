// Reads the actions of pipelines off the instructions of a Plan: the ranks of a group do them in the order in which
// their first instructions are issued. Slots follow from what actions need (core/schedule): a forward that of the stage
// before, a backward its own forward and the backward of the stage behind, a weight gradient its input gradient. What
// no rank does, as where only some outputs were kept, is not waited for. Cost: the number of instructions, times the
// ranks that wait in turn.
#include "pictures/chart/pipeline_grid.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/plan/order/issue_order.h"

namespace isoshard::pictures {
namespace {

using schedule::Action;
using schedule::ActionKind;

std::tuple<int64_t, int64_t, ActionKind> key_of(const Action& a) { return {a.stage, a.micro_batch, a.kind}; }

class GridBuilder {
 public:
  GridBuilder(const Plan& plan, uint32_t pipeline) : plan_(plan) { grid_.pipeline = pipeline; }

  PipelineGrid build() {
    for (const RankGroup& group : plan_.groups) {
      GridRow row{group.name, {}};
      std::set<uint32_t> seen;
      collect(group.blocks, seen, row);
      if (!row.cells.empty()) grid_.rows.push_back(std::move(row));
    }
    place();
    return std::move(grid_);
  }

 private:
  void collect(const std::vector<Block>& blocks, std::set<uint32_t>& seen, GridRow& row) {
    for (const Block& block : blocks) {
      if (block.repeat) collect(block.repeat->body, seen, row);
      for (const Issued& issued : in_issue_order(block)) {
        const Instruction& instruction = plan_.instruction(issued.id);
        const ActionId id = instruction.action;
        if (!id.valid() || plan_.action(id).pipeline != grid_.pipeline) continue;
        if (is_message(instruction.data())) continue;  // the next rank receives as part of the action of this one
        const Action& action = plan_.action(id).action;
        if (!seen.insert(static_cast<uint32_t>(id.index())).second) continue;
        row.cells.push_back({action, 0});
        grid_.stages = std::max(grid_.stages, action.stage + 1);
        ends_[key_of(action)] = kOpen;
      }
    }
  }

  void place() {
    std::vector<size_t> next(grid_.rows.size(), 0);
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t r = 0; r < next.size(); ++r) {
        while (next[r] < grid_.rows[r].cells.size() && place(grid_.rows[r], next[r])) {
          ++next[r];
          moved = true;
        }
      }
    }
  }

  bool place(GridRow& row, size_t index) {
    GridCell& cell = row.cells[index];
    int64_t slot = index == 0 ? 0 : row.cells[index - 1].slot + 1;
    for (const Action& needed : needs(cell.action)) {
      const auto end = ends_.find(key_of(needed));
      if (end == ends_.end()) continue;
      if (end->second == kOpen) return false;
      slot = std::max(slot, end->second);
    }
    cell.slot = slot;
    ends_[key_of(cell.action)] = slot + 1;
    grid_.slots = std::max(grid_.slots, slot + 1);
    return true;
  }

  static std::vector<Action> needs(const Action& a) {
    if (a.kind == ActionKind::forward) return {{a.stage - 1, ActionKind::forward, a.micro_batch}};
    if (a.kind == ActionKind::weight_gradient) return {{a.stage, ActionKind::input_gradient, a.micro_batch}};
    return {{a.stage, ActionKind::forward, a.micro_batch},
            {a.stage + 1, ActionKind::backward, a.micro_batch},
            {a.stage + 1, ActionKind::input_gradient, a.micro_batch}};
  }

  static constexpr int64_t kOpen = -1;  ///< done later
  const Plan& plan_;
  PipelineGrid grid_;
  std::map<std::tuple<int64_t, int64_t, ActionKind>, int64_t> ends_;
};

}  // namespace

int64_t PipelineGrid::actions() const {
  int64_t count = 0;
  for (const GridRow& row : rows) count += static_cast<int64_t>(row.cells.size());
  return count;
}

std::string PipelineGrid::summary() const {
  const int64_t all = slots * static_cast<int64_t>(rows.size());
  return std::to_string(stages) + (stages == 1 ? " stage on " : " stages on ") + std::to_string(rows.size()) +
         (rows.size() == 1 ? " group of ranks, " : " groups of ranks, ") + std::to_string(actions()) + " actions in " +
         std::to_string(slots) + " slots, " + std::to_string(bubbles()) + " bubbles (" +
         std::to_string(all == 0 ? 0 : (bubbles() * 100 + all / 2) / all) + "%)";
}

std::vector<PipelineGrid> pipeline_grids(const Plan& plan) {
  uint32_t pipelines = 0;
  for (const PlanAction& action : plan.actions) pipelines = std::max(pipelines, action.pipeline + 1);
  std::vector<PipelineGrid> grids;
  for (uint32_t p = 0; p < pipelines; ++p) {
    PipelineGrid grid = GridBuilder(plan, p).build();
    if (!grid.rows.empty()) grids.push_back(std::move(grid));
  }
  return grids;
}

}  // namespace isoshard::pictures
