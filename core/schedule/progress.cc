#include "core/schedule/progress.h"

namespace isoshard::schedule {

Progress::Progress(const ActionLists& lists, const Placement& placement)
    : lists_(lists), placement_(placement), next_(lists.size(), 0) {
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
  if (stage == placement_.last() || came_back(stage + 1, k)) return std::nullopt;
  return Action{stage + 1, ActionKind::backward, k};
}

void Progress::note_if_ready(size_t rank) {
  const Action* action = head(rank);
  if (action != nullptr && !unmet(*action)) ready_.emplace(next_[rank], rank);
}

/// What a rank has done the ranks of the stages before and behind may have waited for.
void Progress::advance(size_t rank) {
  const Action done = *head(rank);
  done_.insert(key(done));
  ready_.erase({next_[rank], rank});
  ++next_[rank];
  note_if_ready(rank);
  for (const int64_t stage : {done.stage - 1, done.stage + 1}) {
    if (stage >= 0 && stage <= placement_.last()) note_if_ready(static_cast<size_t>(placement_.rank_of(stage)));
  }
}

std::optional<size_t> Progress::next_rank() const {
  return ready_.empty() ? std::nullopt : std::optional(ready_.begin()->second);
}

}  // namespace isoshard::schedule
