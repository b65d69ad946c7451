#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/action.h"

namespace isoshard::schedule {

/// GPipe: all forwards, then all backwards, micro-batches ascending; one stage per rank.
ActionLists gpipe(int64_t stages, int64_t micro_batches);

/// 1F1B (PipeDream-flush): rank r begins with min(stages-1-r, micro_batches) forwards, goes on with pairs of a forward
/// and a backward, and ends with the backwards that are left; one stage per rank.
ActionLists one_f_one_b(int64_t stages, int64_t micro_batches);

/// ZB-H1 of the zero-bubble paper (arXiv 2401.10241), PyTorch's ZB1P: backwards are split. Rank r begins with
/// min(stages-1-r, micro_batches) forwards, goes on with pairs of a forward and an I as long as there are some, runs
/// one W after an I whenever more than r of them wait, and ends with those that are left. At most as many micro-batches
/// are alive at once as in 1F1B on rank 0; one stage per rank.
ActionLists zb_h1(int64_t stages, int64_t micro_batches);

/// The names that by_name knows: GPipe and 1F1B, which are PyTorch's, and ZB-H1.
std::vector<std::string> schedule_names();
/// The schedule `name`; nothing for another name.
std::optional<ActionLists> by_name(std::string_view name, int64_t stages, int64_t micro_batches);

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
/// What keeps `lists` from being a schedule of `stages` stages, one per rank, and `micro_batches` micro-batches;
/// nothing when they are one.
///
/// Each rank runs the forward of every micro-batch once, then its backward (B, or I and later W) once, and the lists
/// can be carried out in order: no circle of ranks waits for each other's actions.
std::optional<ScheduleError> schedule_error(const ActionLists& lists, int64_t stages, int64_t micro_batches);

/// Where `cell` stands in the file that parse_csv has read: its text, or its place in the row where it is a bubble.
Location location_of(const Cell& cell, const std::shared_ptr<const SourceFile>& file);
/// Whether some backward is split into I and W.
bool splits_backwards(const ActionLists& lists);

/// All actions in an order in which each comes after those it needs, and those of a rank in the rank's order: of the
/// ranks that can go on, the one that has done least goes on, the first of equals. Needs a right schedule.
std::vector<Action> issue_order(const ActionLists& lists);

}  // namespace isoshard::schedule
