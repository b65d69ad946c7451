// Follows from each queue that stands still what it waits for, another queue of its rank or the first rank that is
// missing at its meeting, until a queue comes twice, which is a cycle, or nobody will come, which is a chain. Each
// queue waits for one thing, so all walks together visit each once; walks begin at the lowest rank, and the state does
// not depend on who went first. Cost: the queues that stand still.
#include "verify/deadlock/explain_wait.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/plan/order/wait_chain.h"

namespace isoshard::verify {
namespace {

class StuckRanks {
 public:
  StuckRanks(const Plan& plan, const FoldedRanks& ranks, const std::vector<GroupMeetings>& groups,
             const Rendezvous& run)
      : plan_(plan), ranks_(ranks), groups_(groups), run_(run), stuck_(run.stuck()) {}

  Diagnostic diagnostic() const {
    const auto [path, cycle] = find();
    std::vector<WaitingRank> chain;
    for (const RankQueue at : path) chain.push_back({position(at), instruction(at).location(), describe(at)});
    std::vector<size_t> waiting;
    for (const RankQueue at : stuck_) {
      if (waiting.empty() || waiting.back() != at.rank) waiting.push_back(at.rank);
    }
    return deadlock_diagnostic(chain, cycle, static_cast<int64_t>(waiting.size()) * ranks_.fold(),
                               plan_.mesh->device_count());
  }

 private:
  using Path = std::vector<RankQueue>;

  /// The first cycle, or else the first chain.
  std::pair<Path, bool> find() const {
    Path chain;
    std::map<RankQueue, size_t> walk_of;
    for (size_t walk = 0; walk < stuck_.size(); ++walk) {
      Path path;
      std::optional<RankQueue> at = stuck_[walk];
      while (at && walk_of.try_emplace(*at, walk).second) {
        path.push_back(*at);
        at = next(*at);
      }
      if (at && walk_of[*at] == walk) {
        path.erase(path.begin(), std::find(path.begin(), path.end(), *at));
        return {path, true};
      }
      if (chain.empty() && !at) chain = path;
    }
    return {chain, false};
  }

  std::optional<RankQueue> next(RankQueue at) const {
    const std::optional<uint32_t> queue = run_.needed_queue(at);
    return queue ? RankQueue{at.rank, *queue} : run_.missing_queue(at);
  }

  int64_t position(RankQueue at) const { return ranks_.position(at.rank); }
  Instruction instruction(RankQueue at) const { return plan_.instruction(run_.head(at).instruction); }

  /// `rank 0: all_reduce over `x` in iteration 2 waits for rank 1`.
  std::string describe(RankQueue at) const {
    const std::string text = rank_name(position(at)) + ": " + name(at) + " waits for ";
    if (const std::optional<uint32_t> queue = run_.needed_queue(at)) {
      return text + name({at.rank, *queue}) + " on another queue of " + rank_name(position(at));
    }
    const int64_t missing = ranks_.position(run_.missing_rank(at));
    return text + rank_name(missing) + (run_.missing_queue(at) ? "" : ", which has finished without it");
  }

  std::string name(RankQueue at) const {
    const Meeting& meeting = run_.head(at);
    const Communicator& over = plan_.communicators[communicator_of(instruction(at).data())->index()];
    std::string text = instruction(at).op() + " over `" + over.to_string(*plan_.mesh) + "`";
    const std::vector<int64_t>& iterations = groups_[*ranks_.group_of(at.rank)].iterations;
    for (uint32_t l = 0; l < meeting.loops; ++l) {
      text += (l == 0 ? " in iteration " : ", ") + std::to_string(iterations[meeting.iterations + l]);
    }
    return text;
  }

  const Plan& plan_;
  const FoldedRanks& ranks_;
  const std::vector<GroupMeetings>& groups_;
  const Rendezvous& run_;
  std::vector<RankQueue> stuck_;
};

}  // namespace

Diagnostic explain_wait(const Plan& plan, const FoldedRanks& ranks, const std::vector<GroupMeetings>& groups,
                        const Rendezvous& run) {
  return StuckRanks(plan, ranks, groups, run).diagnostic();
}

}  // namespace isoshard::verify
