// The schedules that are known by name, as lists of actions per rank: GPipe (Y. Huang et al. 2019), 1F1B
// (PipeDream-flush; D. Narayanan et al. 2019 and 2021) and ZB-H1 (P. Qi et al., arXiv 2401.10241, PyTorch's ZB1P). They
// hold numbers only and know nothing of programs; lowering binds actions to functions. The issue order of all actions
// is made by carrying the lists out: of the ranks that can go on, the one that has done least goes on. Cost: actions
// times ranks.
#include "core/schedule/schedules.h"

#include <algorithm>
#include <utility>

namespace isoshard::schedule {
namespace {

struct NamedSchedule {
  std::string_view name;
  ActionLists (*make)(int64_t stages, int64_t micro_batches);
};
constexpr NamedSchedule kSchedules[] = {{"GPipe", &gpipe}, {"1F1B", &one_f_one_b}, {"ZB-H1", &zb_h1}};

/// ZB-H1 on one rank.
class ZeroBubbleRank {
 public:
  ZeroBubbleRank(int64_t rank, int64_t micro_batches) : rank_(rank), micro_batches_(micro_batches) {}

  RankActions run(int64_t warm_up) {
    while (forwards_ < warm_up) add(ActionKind::forward, forwards_);
    while (inputs_ < micro_batches_) {
      if (forwards_ < micro_batches_) add(ActionKind::forward, forwards_);
      add(ActionKind::input_gradient, inputs_);
      if (inputs_ - weights_ > rank_) add(ActionKind::weight_gradient, weights_);
    }
    while (weights_ < micro_batches_) add(ActionKind::weight_gradient, weights_);
    return std::move(actions_);
  }

 private:
  void add(ActionKind kind, int64_t& count) { actions_.push_back(Action{rank_, kind, count++}); }

  int64_t rank_, micro_batches_;
  int64_t forwards_ = 0, inputs_ = 0, weights_ = 0;  ///< how many have been issued
  RankActions actions_;
};

}  // namespace

ActionLists gpipe(int64_t stages, int64_t micro_batches) {
  ActionLists lists(static_cast<size_t>(stages));
  for (int64_t rank = 0; rank < stages; ++rank) {
    for (const ActionKind kind : {ActionKind::forward, ActionKind::backward}) {
      for (int64_t k = 0; k < micro_batches; ++k) lists[static_cast<size_t>(rank)].push_back(Action{rank, kind, k});
    }
  }
  return lists;
}

ActionLists one_f_one_b(int64_t stages, int64_t micro_batches) {
  ActionLists lists(static_cast<size_t>(stages));
  for (int64_t rank = 0; rank < stages; ++rank) {
    RankActions& actions = lists[static_cast<size_t>(rank)];
    const int64_t warm_up = std::min(stages - 1 - rank, micro_batches);
    for (int64_t k = 0; k < warm_up; ++k) actions.push_back(Action{rank, ActionKind::forward, k});
    for (int64_t k = 0; k < micro_batches; ++k) {
      if (k + warm_up < micro_batches) actions.push_back(Action{rank, ActionKind::forward, k + warm_up});
      actions.push_back(Action{rank, ActionKind::backward, k});
    }
  }
  return lists;
}

ActionLists zb_h1(int64_t stages, int64_t micro_batches) {
  ActionLists lists;
  for (int64_t rank = 0; rank < stages; ++rank) {
    lists.push_back(ZeroBubbleRank(rank, micro_batches).run(std::min(stages - 1 - rank, micro_batches)));
  }
  return lists;
}

std::vector<std::string> schedule_names() {
  std::vector<std::string> names;
  for (const NamedSchedule& row : kSchedules) names.emplace_back(row.name);
  return names;
}

std::optional<ActionLists> by_name(std::string_view name, int64_t stages, int64_t micro_batches) {
  for (const NamedSchedule& row : kSchedules) {
    if (row.name == name) return row.make(stages, micro_batches);
  }
  return std::nullopt;
}

}  // namespace isoshard::schedule
