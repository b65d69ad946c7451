#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/schedule/action.h"

namespace isoshard::pictures {

/// An action in the grid of a pipeline.
struct GridCell {
  schedule::Action action;
  int64_t slot = 0;
};

/// The actions of one group of ranks, in their order.
struct GridRow {
  std::string ranks;  ///< `pp=0`
  std::vector<GridCell> cells;
};

/// Who does what of a pipeline when: each action stands in the first slot behind the one before it on its rank and
/// behind those it needs. Slots are counted, not timed: every action takes one.
struct PipelineGrid {
  uint32_t pipeline = 0;
  int64_t stages = 0, slots = 0;
  std::vector<GridRow> rows;

  int64_t actions() const;
  /// Slots in which a rank does nothing.
  int64_t bubbles() const { return slots * static_cast<int64_t>(rows.size()) - actions(); }
  /// `4 stages on 4 groups of ranks, 64 actions in 22 slots, 24 bubbles (27%)`.
  std::string summary() const;
};

/// The grid of each pipeline of `plan` that a schedule orders; none where a program has no `pipeline`.
std::vector<PipelineGrid> pipeline_grids(const Plan& plan);

}  // namespace isoshard::pictures
