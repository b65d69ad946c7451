#include "core/schedule/progress.h"

namespace isoshard::schedule {

Progress::Progress(const ActionLists& lists) : lists_(lists), next_(lists.size(), 0) {
  for (size_t rank = 0; rank < lists.size(); ++rank) note_if_ready(rank);
}

const Action* Progress::head(size_t rank) {
  const RankActions& actions = lists_[rank];
  while (next_[rank] < actions.size() && !actions[next_[rank]]) ++next_[rank];
  return next_[rank] == actions.size() ? nullptr : &*actions[next_[rank]];
}

bool Progress::came_back(int64_t stage, int64_t micro_batch) const {
  return done({stage, ActionKind::backward, micro_batch}) || done({stage, ActionKind::input_gradient, micro_batch});
}

std::optional<Action> Progress::unmet(const Action& action) const {
  const auto [stage, kind, k] = action;
  const Action forward{stage, ActionKind::forward, k};
  if (kind == ActionKind::forward) {
    const Action before{stage - 1, ActionKind::forward, k};
    return stage == 0 || done(before) ? std::nullopt : std::optional(before);
  }
  if (kind == ActionKind::weight_gradient) {
    const Action input{stage, ActionKind::input_gradient, k};
    return done(input) ? std::nullopt : std::optional(input);
  }
  if (!done(forward)) return forward;
  const bool last = stage + 1 == static_cast<int64_t>(lists_.size());
  if (last || came_back(stage + 1, k)) return std::nullopt;
  return Action{stage + 1, ActionKind::backward, k};
}

void Progress::note_if_ready(size_t rank) {
  const Action* action = head(rank);
  if (action != nullptr && !unmet(*action)) ready_.emplace(next_[rank], rank);
}

/// What a rank has done its neighbours may have waited for.
void Progress::advance(size_t rank) {
  done_.insert(key(*head(rank)));
  ready_.erase({next_[rank], rank});
  ++next_[rank];
  note_if_ready(rank);
  if (rank > 0) note_if_ready(rank - 1);
  if (rank + 1 < lists_.size()) note_if_ready(rank + 1);
}

std::optional<size_t> Progress::next_rank() const {
  return ready_.empty() ? std::nullopt : std::optional(ready_.begin()->second);
}

}  // namespace isoshard::schedule
