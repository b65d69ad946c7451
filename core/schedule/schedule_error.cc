#include <map>

#include "core/schedule/progress.h"
#include "core/schedule/schedules.h"

namespace isoshard::schedule {
namespace {

std::string count(int64_t n, const std::string& what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

/// Looks at the cells of one rank on their own.
class RankCheck {
 public:
  RankCheck(int64_t rank, int64_t stages, int64_t micro_batches)
      : rank_(rank), stages_(stages), micro_batches_(micro_batches) {}

  std::optional<std::string> run(const RankActions& actions) {
    for (const std::optional<Action>& action : actions) {
      if (!action) continue;
      std::optional<std::string> error = place_error(*action);
      if (!error) error = order_error(*action);
      if (error) return "rank " + std::to_string(rank_) + ": " + *error;
      seen_[action->micro_batch] += letter(action->kind);
    }
    for (int64_t k = 0; k < micro_batches_; ++k) {
      const std::string& done = seen_[k];
      if (done == "FB" || done == "FIW") continue;
      const Action missing{rank_,
                           done.empty()  ? ActionKind::forward
                           : done == "F" ? ActionKind::backward
                                         : ActionKind::weight_gradient,
                           k};
      return "rank " + std::to_string(rank_) + ": " + to_string(missing) + " is missing" +
             (done.empty() ? ", micro-batch " + std::to_string(k) + " never enters the stage"
                           : ", the gradient of micro-batch " + std::to_string(k) + " would lack");
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> place_error(const Action& action) const {
    const std::string name = to_string(action);
    if (action.stage >= stages_)
      return name + " names stage " + std::to_string(action.stage) + "; there are " + count(stages_, "stage");
    if (action.stage != rank_) return name + " belongs to rank " + std::to_string(action.stage);
    if (action.micro_batch < micro_batches_) return std::nullopt;
    return name + " names micro-batch " + std::to_string(action.micro_batch) + "; there are " +
           std::to_string(micro_batches_);
  }

  std::optional<std::string> order_error(const Action& action) {
    const std::string name = to_string(action);
    const std::string& done = seen_[action.micro_batch];
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

  int64_t rank_, stages_, micro_batches_;
  std::map<int64_t, std::string> seen_;  ///< per micro-batch: the letters of its actions so far
};

/// Where all ranks wait.
std::string circle(const ActionLists& lists, Progress& progress) {
  std::string text;
  for (size_t rank = 0; rank < lists.size(); ++rank) {
    const Action* head = progress.head(rank);
    if (head == nullptr) continue;
    text += (text.empty() ? "" : ", ") + std::string("rank ") + std::to_string(rank) + " waits with " +
            to_string(*head) + " for " + to_string(*progress.unmet(*head));
  }
  return "no rank can go on: " + text;
}

}  // namespace

std::optional<std::string> schedule_error(const ActionLists& lists, int64_t stages, int64_t micro_batches) {
  if (static_cast<int64_t>(lists.size()) != stages) {
    return "there are " + std::to_string(lists.size()) + " lists; expected one per rank, " + std::to_string(stages);
  }
  for (int64_t rank = 0; rank < stages; ++rank) {
    RankCheck check(rank, stages, micro_batches);
    if (std::optional<std::string> error = check.run(lists[static_cast<size_t>(rank)])) return error;
  }
  Progress progress(lists);
  while (const std::optional<size_t> rank = progress.next_rank()) progress.advance(*rank);
  for (size_t rank = 0; rank < lists.size(); ++rank) {
    if (progress.head(rank) != nullptr) return circle(lists, progress);
  }
  return std::nullopt;
}

std::vector<Action> issue_order(const ActionLists& lists) {
  std::vector<Action> result;
  Progress progress(lists);
  while (const std::optional<size_t> rank = progress.next_rank()) {
    result.push_back(*progress.head(*rank));
    progress.advance(*rank);
  }
  return result;
}

}  // namespace isoshard::schedule
