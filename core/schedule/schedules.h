#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/action.h"
#include "core/schedule/placement.h"

namespace isoshard::schedule {

/// The names that by_name knows.
std::vector<std::string> schedule_names();

/// The schedule `name` of stages placed so. Errors (V-schedule, without a location): no such name, or a schedule that
/// wants another placement or another number of micro-batches; `micro_batches` is at least 1.
///
/// One stage per rank: GPipe (all forwards, then all backwards), 1F1B (PipeDream-flush: rank r begins with
/// min(ranks-1-r, micro_batches) forwards, goes on with pairs of a forward and a backward, and ends with the backwards
/// that are left) and ZB-H1 (arXiv 2401.10241, PyTorch's ZB1P: 1F1B with split backwards; one W after an I whenever
/// more than r of them wait). Any number of stages per rank, as a loop: LoopedBFS (arXiv 2211.05953) and
/// Interleaved1F1B (Megatron-LM, arXiv 2104.04473), both as PyTorch has them; the latter wants as many micro-batches in
/// each round of about `ranks`. Two stages per rank, as a v: ZBVZeroBubble (arXiv 2401.10241, PyTorch).
Result<ActionLists> by_name(std::string_view name, const Placement& placement, int64_t micro_batches);

/// A place in action lists, both counted from 0; bubbles are cells.
struct Cell {
  size_t rank = 0, cell = 0;
  bool operator==(const Cell&) const = default;
};
/// Why lists are no schedule.
struct ScheduleError {
  std::string message;       ///< the end of one
  std::optional<Cell> cell;  ///< the action that is wrong or lacks another one, or where a rank lacks its first one
};
/// What keeps `lists` from being a schedule of the stages and `micro_batches` micro-batches; nothing when they are one.
///
/// Each rank runs on each of its stages the forward of every micro-batch once, then its backward (B, or I and later W)
/// once, and the lists can be carried out in order: no circle of ranks waits for each other's actions.
std::optional<ScheduleError> schedule_error(const ActionLists& lists, const Placement& placement,
                                            int64_t micro_batches);

/// Where `cell` stands in the file that parse_csv has read: its text, or its place in the row where it is a bubble.
Location location_of(const Cell& cell, const std::shared_ptr<const SourceFile>& file);
/// Whether some backward is split into I and W.
bool splits_backwards(const ActionLists& lists);

/// All actions in an order in which each comes after those it needs, and those of a rank in the rank's order: of the
/// ranks that can go on, the one that has done least goes on, the first of equals. Needs a right schedule.
std::vector<Action> issue_order(const ActionLists& lists, const Placement& placement);

}  // namespace isoshard::schedule
