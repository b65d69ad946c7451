#pragma once  // internal

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/schedule/action.h"
#include "core/schedule/placement.h"

namespace isoshard::schedule {

/// Carries out action lists in order, a rank at a time: which ranks can go on, and what a rank waits for.
class Progress {
 public:
  Progress(const ActionLists& lists, const Placement& placement);

  /// The next action of `rank`, past its bubbles; nothing at the end of its list.
  const Action* head(size_t rank);
  /// The action that `action` needs and that has not been done, if any: F the forward of the stage before, B and I the
  /// stage's own forward and what comes back from the stage behind, W its I.
  std::optional<Action> unmet(const Action& action) const;
  /// Does the head of `rank`.
  void advance(size_t rank);
  /// The rank that can go on and has done least; nothing when all are done or none can go on.
  std::optional<size_t> next_rank() const;

 private:
  void note_if_ready(size_t rank);
  bool done(const Action& action) const { return done_.count(key(action)) != 0; }
  bool came_back(int64_t stage, int64_t micro_batch) const;
  static std::pair<std::pair<int64_t, int64_t>, ActionKind> key(const Action& a) {
    return {{a.stage, a.micro_batch}, a.kind};
  }

  const ActionLists& lists_;
  const Placement placement_;
  std::vector<size_t> next_;
  std::set<std::pair<std::pair<int64_t, int64_t>, ActionKind>> done_;
  std::set<std::pair<size_t, size_t>> ready_;  ///< ranks that can go on, behind how much they have done
};

}  // namespace isoshard::schedule
