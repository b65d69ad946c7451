#pragma once

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

/// The names that by_name knows, which are PyTorch's: GPipe, 1F1B.
std::vector<std::string> schedule_names();
/// The schedule `name`; nothing for another name.
std::optional<ActionLists> by_name(std::string_view name, int64_t stages, int64_t micro_batches);

/// What keeps `lists` from being a schedule of `stages` stages, one per rank, and `micro_batches` micro-batches, as the
/// end of a message; nothing when they are one.
///
/// Each rank runs the forward of every micro-batch once, then its backward (B, or I and later W) once, and the lists
/// can be carried out in order: no circle of ranks waits for each other's actions.
std::optional<std::string> schedule_error(const ActionLists& lists, int64_t stages, int64_t micro_batches);

/// All actions in an order in which each comes after those it needs, and those of a rank in the rank's order: of the
/// ranks that can go on, the one that has done least goes on, the first of equals. Needs a right schedule.
std::vector<Action> issue_order(const ActionLists& lists);

}  // namespace isoshard::schedule
