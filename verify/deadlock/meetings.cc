// Lists what ranks do together. For one queue in issue order that is all there is: local instructions never wait for
// another rank, so they and loops without meetings are passed over, as are collectives that a folded rank has with
// itself alone. For queues side by side all instructions are gone through, because tokens may lead through any of them
// (meeting_clocks.h). How much there will be is counted first, so that a number in a file is no list in memory.
// Cost: the steps that are gone through, times queues where they are side by side.
#include "verify/deadlock/meetings.h"

#include <unordered_map>
#include <unordered_set>
#include <variant>

#include "core/plan/order/issue_order.h"

namespace isoshard::verify {
namespace {

/// Goes through the instructions of one group.
class MeetingLister {
 public:
  MeetingLister(const Plan& plan, const FoldedRanks& ranks, const RankGroup& group, QueueOrdering ordering)
      : plan_(plan), group_(group), ordering_(ordering) {
    for (const Communicator& communicator : plan.communicators) {
      meets_.push_back(ranks.folded(communicator).size(*plan.mesh) > 1);
    }
    steps_ = prepare(group.blocks);
  }

  /// That list() goes through.
  double steps() const { return steps_; }

  /// `origins`: of the Plan, for queues side by side.
  GroupMeetings list(const ValueOrigins* origins) {
    result_.queues.resize(ordering_ == QueueOrdering::launch_order ? 1 : queue_of_.size());
    for (const Communicator& communicator : plan_.communicators) {
      const auto queue = queue_of_.find(communicator.queue);
      result_.queue_of.push_back(queue == queue_of_.end() ? std::nullopt : std::optional(queue->second));
    }
    if (origins != nullptr) clocks_.emplace(plan_, *origins, group_, queue_of_);
    walk(group_.blocks);
    return std::move(result_);
  }

 private:
  /// Lists once what walk() visits, and returns how many steps that are.
  double prepare(const std::vector<Block>& blocks) {
    double steps = 0;
    for (const Block& block : blocks) {
      std::vector<Issued>& kept = kept_[&block];
      for (const Issued& issued : in_issue_order(block)) {
        if (ordering_ == QueueOrdering::side_by_side || is_meeting(issued.id)) kept.push_back(issued);
      }
      for (const Issued& issued : kept) number_queue(issued.queue);
      steps += static_cast<double>(kept.size());
      if (!block.repeat || block.repeat->count == 0) continue;
      const double inside = prepare(block.repeat->body);
      if (inside > 0) entered_.insert(&*block.repeat);
      steps += inside * static_cast<double>(block.repeat->count);
    }
    return steps;
  }

  void number_queue(QueueId queue) {
    const bool one = ordering_ == QueueOrdering::launch_order;
    queue_of_.try_emplace(queue, one ? 0 : static_cast<uint32_t>(queue_of_.size()));
  }

  bool is_meeting(InstructionId id) const {
    const InstructionData& data = plan_.instruction(id).data();
    const CommunicatorId* communicator = communicator_of(data);
    const bool always = std::holds_alternative<Send>(data) || std::holds_alternative<Recv>(data);
    return communicator != nullptr && (always || meets_[communicator->index()]);
  }

  void walk(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      for (const Issued& issued : kept_.at(&block)) visit(issued);
      if (!block.repeat || !entered_.contains(&*block.repeat)) continue;
      const Repeat& repeat = *block.repeat;
      for (int64_t i = 0; i < repeat.count; ++i) {
        iterations_.push_back(i);
        written_ = false;
        if (clocks_) clocks_->begin_iteration(repeat, i);
        walk(repeat.body);
        if (clocks_) clocks_->end_iteration(repeat);
        iterations_.pop_back();
        written_ = false;
      }
    }
  }

  void visit(const Issued& issued) {
    const uint32_t queue = queue_of_.at(issued.queue);
    if (clocks_) clocks_->begin(issued.id, queue);
    if (is_meeting(issued.id)) {
      add(issued.id, queue);
      if (clocks_) clocks_->meet(queue);
    }
    if (clocks_) clocks_->finish(issued.id, queue);
  }

  void add(InstructionId id, uint32_t queue) {
    if (!written_) {
      begin_ = static_cast<uint32_t>(result_.iterations.size());
      result_.iterations.insert(result_.iterations.end(), iterations_.begin(), iterations_.end());
      written_ = true;
    }
    Meeting meeting{id, begin_, static_cast<uint32_t>(iterations_.size()), static_cast<uint32_t>(result_.needs.size())};
    if (clocks_) {
      const std::vector<MeetingNeed> needs = clocks_->needs(queue);
      result_.needs.insert(result_.needs.end(), needs.begin(), needs.end());
      meeting.need_count = static_cast<uint32_t>(needs.size());
    }
    result_.queues[queue].push_back(meeting);
  }

  const Plan& plan_;
  const RankGroup& group_;
  QueueOrdering ordering_;
  std::vector<bool> meets_;  ///< per communicator: it has several folded ranks
  double steps_ = 0;
  std::unordered_map<const Block*, std::vector<Issued>> kept_;  ///< what is visited
  std::unordered_set<const Repeat*> entered_;                   ///< in which something is
  std::unordered_map<QueueId, uint32_t> queue_of_;
  std::optional<MeetingClocks> clocks_;
  std::vector<int64_t> iterations_;  ///< of the loops around
  uint32_t begin_ = 0;               ///< where they are in the result
  bool written_ = false;             ///< they are
  GroupMeetings result_;
};

}  // namespace

std::optional<std::vector<GroupMeetings>> list_meetings(const Plan& plan, const FoldedRanks& ranks,
                                                        QueueOrdering ordering, double most) {
  std::vector<double> ranks_of(plan.groups.size(), 0);
  for (size_t rank = 0; rank < ranks.count(); ++rank) {
    if (ranks.group_of(rank)) ++ranks_of[*ranks.group_of(rank)];
  }
  std::optional<ValueOrigins> origins;
  if (ordering == QueueOrdering::side_by_side) origins.emplace(plan);
  double steps = 0;
  std::vector<GroupMeetings> result;
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    MeetingLister lister(plan, ranks, plan.groups[g], ordering);
    steps += lister.steps() * ranks_of[g];
    if (steps > most) return std::nullopt;
    result.push_back(lister.list(origins ? &*origins : nullptr));
  }
  return result;
}

}  // namespace isoshard::verify
