// Actions of pipeline schedules as text, in the format of PyTorch's pipelining: stage, a letter and a micro-batch,
// `2F0`, one row per rank and one cell per time step, empty where the rank waits (docs/language.md, "Pipelines"). Cells
// that PyTorch has for communication or overlap are refused with the reason, since sends and receives follow from the
// actions here. Whether lists are a schedule at all is checked elsewhere (schedule_error.cc). Cost: linear in the text.
// Source: torch.distributed.pipelining.
#include "core/schedule/action.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/support/quoted.h"
#include "core/support/result.h"

namespace isoshard::schedule {
namespace {

constexpr std::string_view kLetters = "FIWB";  ///< by ActionKind

/// Takes the number that `text` begins with; nothing when there is none.
std::optional<int64_t> take_number(std::string_view& text) {
  int64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

/// Cells of PyTorch's text that isoshard does not take, and why.
std::string why_not(std::string_view cell) {
  for (const std::string_view word : {"SEND_", "RECV_", "UNSHARD", "RESHARD", "REDUCE_GRAD"}) {
    if (cell.find(word) != std::string_view::npos) {
      return " communicates; expected computing actions only, sends and receives follow from them";
    }
  }
  if (cell.find("OVERLAP") != std::string_view::npos) {
    return " overlaps two actions, which is not supported; expected them one by one";
  }
  return " is no action; expected stage, one of F, I, W, B, and micro-batch, as in 2F0";
}

/// One row; `line` is 1-based.
Result<RankActions> parse_row(std::string_view row, const std::shared_ptr<const SourceFile>& file, uint32_t line) {
  RankActions result;
  for (size_t begin = 0; begin <= row.size();) {
    const size_t end = std::min(row.size(), row.find(',', begin));
    const std::string_view cell = row.substr(begin, end - begin);
    std::optional<Action> action = parse_action(cell);
    if (!cell.empty() && !action) {
      const auto column = static_cast<uint32_t>(begin + 1);
      return failure("P-action", Location::span(file, line, column, column + static_cast<uint32_t>(cell.size())),
                     "the cell " + quoted(cell) + why_not(cell));
    }
    result.push_back(action);
    begin = end + 1;
  }
  return result;
}

}  // namespace

std::optional<Action> parse_action(std::string_view text) {
  const std::optional<int64_t> stage = take_number(text);
  const size_t kind = text.empty() ? std::string_view::npos : kLetters.find(text.front());
  if (!stage || kind == std::string_view::npos) return std::nullopt;
  text.remove_prefix(1);
  const std::optional<int64_t> micro_batch = take_number(text);
  if (!micro_batch || !text.empty()) return std::nullopt;
  return Action{*stage, static_cast<ActionKind>(kind), *micro_batch};
}

char letter(ActionKind kind) { return kLetters[static_cast<size_t>(kind)]; }

std::string to_string(const Action& action) {
  return std::to_string(action.stage) + letter(action.kind) + std::to_string(action.micro_batch);
}

std::string to_csv(const ActionLists& lists) {
  std::string text;
  for (const RankActions& rank : lists) {
    for (size_t i = 0; i < rank.size(); ++i) text += (i ? "," : "") + (rank[i] ? to_string(*rank[i]) : "");
    text += "\n";
  }
  return text;
}

Result<ActionLists> parse_csv(const std::shared_ptr<const SourceFile>& file) {
  ActionLists lists;
  std::string_view rest = file->text;
  for (uint32_t line = 1; !rest.empty(); ++line) {
    const size_t end = std::min(rest.size(), rest.find('\n'));
    std::string_view row = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + 1));
    if (!row.empty() && row.back() == '\r') row.remove_suffix(1);
    Result<RankActions> actions = parse_row(row, file, line);
    if (!actions) return tl::unexpected(std::move(actions.error()));
    lists.push_back(std::move(*actions));
  }
  return lists;
}

}  // namespace isoshard::schedule
