// Says why action lists are no schedule. First each rank alone: every micro-batch once forward and once backward, in
// order, in the right row. Then all ranks together: the lists are carried out, each rank as far as it can, where an
// action needs the forward of the stage before or the backward of the stage behind; when no rank can go on and some are
// not done, they wait in a circle, which is named. A schedule is right if and only if that ends, because actions have
// no effect on each other but these needs. Cost: actions times ranks.
#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "core/schedule/progress.h"
#include "core/schedule/schedules.h"

namespace isoshard::schedule {
namespace {

std::string count(int64_t n, const std::string& what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

/// Looks at the cells of one rank on their own.
class RankCheck {
 public:
  RankCheck(int64_t rank, const Placement& placement, int64_t micro_batches)
      : rank_(rank), placement_(placement), micro_batches_(micro_batches) {}

  std::optional<ScheduleError> run(const RankActions& actions) {
    for (size_t cell = 0; cell < actions.size(); ++cell) {
      if (!actions[cell]) continue;
      const Action& action = *actions[cell];
      std::optional<std::string> error = place_error(action);
      if (!error) error = order_error(action);
      if (error) return at(cell, *error);
      Passed& passed = passed_[{action.stage, action.micro_batch}];
      passed.letters += letter(action.kind);
      passed.last = cell;
    }
    for (int64_t chunk = 0; chunk < placement_.per_rank; ++chunk) {
      for (int64_t k = 0; k < micro_batches_; ++k) {
        if (std::optional<ScheduleError> error = missing(placement_.stage_of(rank_, chunk), k)) return error;
      }
    }
    return std::nullopt;
  }

 private:
  ScheduleError at(size_t cell, const std::string& message) const {
    return {"rank " + std::to_string(rank_) + ": " + message, Cell{static_cast<size_t>(rank_), cell}};
  }

  /// What micro-batch `k` lacks at the end on a stage.
  std::optional<ScheduleError> missing(int64_t stage, int64_t k) {
    const auto& [done, last] = passed_[{stage, k}];
    if (done == "FB" || done == "FIW") return std::nullopt;
    if (done.empty()) {
      return at(0, to_string({stage, ActionKind::forward, k}) + " is missing, micro-batch " + std::to_string(k) +
                       " never enters the stage");
    }
    const ActionKind kind = done == "F" ? ActionKind::backward : ActionKind::weight_gradient;
    return at(last, to_string({stage, kind, k}) + " is missing, the gradient of micro-batch " + std::to_string(k) +
                        " would lack");
  }

  std::optional<std::string> place_error(const Action& action) const {
    const std::string name = to_string(action);
    if (action.stage > placement_.last()) {
      return name + " names stage " + std::to_string(action.stage) + "; there are " +
             count(placement_.stages(), "stage") + ", " +
             (placement_.per_rank == 1 ? "one" : std::to_string(placement_.per_rank)) + " per rank";
    }
    const int64_t rank = placement_.rank_of(action.stage);
    if (rank != rank_) return name + " belongs to rank " + std::to_string(rank);
    if (action.micro_batch < micro_batches_) return std::nullopt;
    return name + " names micro-batch " + std::to_string(action.micro_batch) + "; there are " +
           std::to_string(micro_batches_);
  }

  std::optional<std::string> order_error(const Action& action) {
    const std::string name = to_string(action);
    const std::string& done = passed_[{action.stage, action.micro_batch}].letters;
    if (done.find(letter(action.kind)) != std::string::npos) return name + " stands twice";
    if (action.kind == ActionKind::forward) {
      return done.empty() ? std::nullopt : std::optional(name + " comes after its backward");
    }
    if (done.empty()) {
      return name + " comes before " + to_string({action.stage, ActionKind::forward, action.micro_batch});
    }
    if (action.kind == ActionKind::weight_gradient && done == "F") {
      return name + " comes before " + to_string({action.stage, ActionKind::input_gradient, action.micro_batch});
    }
    const bool twice = (action.kind == ActionKind::backward && done != "F") || done == "FB";
    return twice ? std::optional(name + " repeats a gradient that stands there already") : std::nullopt;
  }

  /// What a micro-batch has seen of a stage.
  struct Passed {
    std::string letters;  ///< of its actions so far
    size_t last = 0;      ///< the cell of the last one
  };

  int64_t rank_;
  const Placement& placement_;
  int64_t micro_batches_;
  std::map<std::pair<int64_t, int64_t>, Passed> passed_;  ///< by stage and micro-batch
};

/// The cell of `action` in the list of its rank.
std::optional<Cell> find_cell(const ActionLists& lists, size_t rank, const Action& action) {
  for (size_t cell = 0; cell < lists[rank].size(); ++cell) {
    if (lists[rank][cell] == action) return Cell{rank, cell};
  }
  return std::nullopt;
}

/// Where all ranks wait.
ScheduleError circle(const ActionLists& lists, Progress& progress) {
  std::string text;
  std::optional<Cell> first;
  for (size_t rank = 0; rank < lists.size(); ++rank) {
    const Action* head = progress.head(rank);
    if (head == nullptr) continue;
    if (!first) first = find_cell(lists, rank, *head);
    text += (text.empty() ? "" : ", ") + std::string("rank ") + std::to_string(rank) + " waits with " +
            to_string(*head) + " for " + to_string(*progress.unmet(*head));
  }
  return {"no rank can go on: " + text, first};
}

}  // namespace

std::optional<ScheduleError> schedule_error(const ActionLists& lists, const Placement& placement,
                                            int64_t micro_batches) {
  if (static_cast<int64_t>(lists.size()) != placement.ranks) {
    return ScheduleError{(lists.size() == 1 ? "there is " : "there are ") +
                             count(static_cast<int64_t>(lists.size()), "list") + "; expected one per rank, " +
                             std::to_string(placement.ranks),
                         std::nullopt};
  }
  for (int64_t rank = 0; rank < placement.ranks; ++rank) {
    RankCheck check(rank, placement, micro_batches);
    if (std::optional<ScheduleError> error = check.run(lists[static_cast<size_t>(rank)])) return error;
  }
  Progress progress(lists, placement);
  while (const std::optional<size_t> rank = progress.next_rank()) progress.advance(*rank);
  for (size_t rank = 0; rank < lists.size(); ++rank) {
    if (progress.head(rank) != nullptr) return circle(lists, progress);
  }
  return std::nullopt;
}

Location location_of(const Cell& cell, const std::shared_ptr<const SourceFile>& file) {
  std::string_view row = file->text;
  for (size_t i = 0; i < cell.rank; ++i) row.remove_prefix(row.find('\n') + 1);
  row = row.substr(0, row.find_first_of("\r\n"));
  size_t begin = 0;
  for (size_t i = 0; i < cell.cell; ++i) begin = row.find(',', begin) + 1;
  const size_t end = std::min(row.size(), row.find(',', begin));
  const auto column = static_cast<uint32_t>(begin + 1);
  return Location::span(file, static_cast<uint32_t>(cell.rank + 1), column, static_cast<uint32_t>(end + 1));
}

bool splits_backwards(const ActionLists& lists) {
  for (const RankActions& rank : lists) {
    for (const std::optional<Action>& action : rank) {
      if (action && action->kind == ActionKind::input_gradient) return true;
    }
  }
  return false;
}

std::vector<Action> issue_order(const ActionLists& lists, const Placement& placement) {
  std::vector<Action> result;
  Progress progress(lists, placement);
  while (const std::optional<size_t> rank = progress.next_rank()) {
    result.push_back(*progress.head(*rank));
    progress.advance(*rank);
  }
  return result;
}

}  // namespace isoshard::schedule
