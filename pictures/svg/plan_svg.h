#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "pictures/chart/pipeline_grid.h"
#include "pictures/chart/queue_chart.h"
#include "pictures/svg/drawing.h"

namespace isoshard::pictures {

/// A picture, and how large it is.
struct Picture {
  Drawing drawing{};
  int64_t width = 0, height = 0;
  std::string name{};         ///< what it is of
  std::string description{};  ///< what it shows, in a sentence
  std::string cut{};          ///< what of it was left out, as it says itself; empty: nothing

  std::string svg() const { return drawing.svg(width, height, name, description); }
};

/// At most so many cells are drawn; the slots behind them and lanes or rows behind kMostLanes are left out.
inline constexpr size_t kMostCells = 4000, kMostLanes = 96;

/// A grid with a row for each group of ranks and a column for each slot.
Picture draw(const PipelineGrid& grid);
/// Queues as lanes over slots, loops as brackets above; with few cells tokens as lines.
Picture draw(const Plan& plan, const QueueChart& chart);
/// What each device of up to four groups holds over the moments of the Plan.
Picture draw_memory(const Plan& plan);

/// Pictures below each other, as a file.
std::string pictures_svg(const std::string& name, const std::vector<Picture>& pictures);
/// All grids of `plan` and its queues.
std::string plan_svg(const Plan& plan);

}  // namespace isoshard::pictures
