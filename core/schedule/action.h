#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result_fwd.h"

/// Pipeline schedules: which rank does what in which order. Stages and micro-batches are numbers here.
namespace isoshard::schedule {

enum class ActionKind : uint8_t {
  forward,          ///< F
  input_gradient,   ///< I: the gradient of the stage's input
  weight_gradient,  ///< W: that of its parameters
  backward,         ///< B: both
};

/// `2F0`: stage 2, forward, micro-batch 0.
struct Action {
  int64_t stage = 0;
  ActionKind kind = ActionKind::forward;
  int64_t micro_batch = 0;
  bool operator==(const Action&) const = default;
};

/// The cells of one rank in the order in which they are issued; nothing in a cell is a bubble.
using RankActions = std::vector<std::optional<Action>>;
/// One list per rank, rank 0 first.
using ActionLists = std::vector<RankActions>;

/// F, I, W or B.
char letter(ActionKind kind);
/// `2F0`, the text of PyTorch's torch.distributed.pipelining.
std::string to_string(const Action& action);
/// The action of such a text; nothing for another text.
std::optional<Action> parse_action(std::string_view text);
/// One row per rank, cells joined by commas, bubbles empty: PyTorch's file format.
std::string to_csv(const ActionLists& lists);

/// Reads the cells of PyTorch's text that compute; an error (P-action) at a cell that is no action, or that
/// communicates or overlaps, which is not supported.
Result<ActionLists> parse_csv(const std::shared_ptr<const SourceFile>& file);

}  // namespace isoshard::schedule
