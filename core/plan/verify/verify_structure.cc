// The shape of a Plan: groups on the mesh, instructions on their queues in issue order, lists of loops that match.
// Cost: one walk over the instructions.
#include "core/plan/verify/verify_structure.h"

#include <algorithm>
#include <optional>
#include <set>

#include "core/plan/order/issue_order.h"

namespace isoshard {
namespace {

class Structure {
 public:
  Structure(const Plan& plan, PlanFindings& findings)
      : plan_(plan), findings_(findings), issued_(plan.instructions.size(), false) {}

  void run() {
    std::set<int64_t> taken;
    for (const RankGroup& group : plan_.groups) {
      check_positions(group, taken);
      last_.reset();
      check_blocks(group.blocks, 0);
    }
    for (size_t i = 0; i < issued_.size(); ++i) {
      if (!issued_[i]) findings_.at(InstructionId(i), "L-queue", "is on no queue");
    }
  }

 private:
  static constexpr size_t kMostLoops = 31;

  void check_positions(const RankGroup& group, std::set<int64_t>& taken) {
    const bool twice = group.positions.empty() && plan_.groups.size() > 1;
    if (twice) findings_.add("L-group", {}, "group " + group.name + " has all positions, and there are other groups");
    for (const int64_t position : group.positions) {
      const std::string text = "group " + group.name + " has position " + std::to_string(position);
      const bool there = position >= 0 && position < plan_.mesh->device_count();
      if (!there) findings_.add("L-group", {}, text + " of " + std::to_string(plan_.mesh->device_count()));
      if (there && !taken.insert(position).second) findings_.add("L-group", {}, text + ", as has another group");
    }
  }

  void check_blocks(const std::vector<Block>& blocks, size_t loops) {
    for (const Block& block : blocks) {
      if (block.repeat) {
        if (loops == kMostLoops) findings_.at(*block.repeat, "L-loop", "is in 31 others; no more than 31 nest");
        check_loop(*block.repeat);
        check_blocks(block.repeat->body, loops + 1);
        continue;
      }
      for (const auto& [id, queue] : in_issue_order(block)) check_place(id, queue);
      for (const Queue& queue : block.queues) {
        const auto unordered = std::adjacent_find(queue.instructions.begin(), queue.instructions.end(),
                                                  [](InstructionId a, InstructionId b) { return !(a < b); });
        if (unordered != queue.instructions.end()) {
          findings_.at(*(unordered + 1), "L-queue", "is on " + queue.name + " behind a later one");
        }
      }
    }
  }

  void check_place(InstructionId id, QueueId queue) {
    if (issued_[id.index()]) findings_.at(id, "L-queue", "is on a queue twice");
    issued_[id.index()] = true;
    if (last_ && id < *last_) findings_.at(id, "L-queue", "is in a block behind a later one");
    last_ = std::max(last_.value_or(id), id);
    const QueueId own = queue_of(plan_, plan_.instruction(id));
    if (own == queue) return;
    findings_.at(id, "L-queue",
                 "is on queue " + std::to_string(queue.index()) + "; expected " + std::to_string(own.index()) +
                     (own == QueueId(0) ? ", that of what computes" : ", that of its communicator"));
  }

  void check_loop(const Repeat& loop) {
    if (loop.count < 0 || loop.ahead < 0) {
      findings_.at(loop, "L-loop",
                   "has " + std::to_string(loop.count) + " iterations, ahead " + std::to_string(loop.ahead) +
                       "; expected no negative numbers");
    }
    const bool carried = loop.initial.size() == loop.arguments.size() && loop.initial.size() == loop.yields.size() &&
                         loop.initial.size() == loop.results.size();
    if (!carried || loop.stacked.size() != loop.slices.size() || loop.parts.size() != loop.stacks.size()) {
      return findings_.at(loop, "L-loop", "has lists of different lengths");
    }
    for (size_t i = 0; i < loop.initial.size(); ++i) {
      for (const PlanValueId id : {loop.arguments[i], loop.yields[i], loop.results[i]}) {
        same_type(loop, id, plan_.value(loop.initial[i]).type());
      }
    }
    const Scan scan{loop.count, static_cast<int64_t>(loop.initial.size())};
    for (size_t i = 0; i < loop.slices.size(); ++i) {
      same_type(loop, loop.stacked[i], scan.stack(plan_.value(loop.slices[i]).type()));
    }
    for (size_t i = 0; i < loop.parts.size(); ++i) {
      same_type(loop, loop.stacks[i], scan.stack(plan_.value(loop.parts[i]).type()));
    }
  }

  void same_type(const Repeat& loop, PlanValueId id, const TensorType& expected) {
    const TensorType& type = plan_.value(id).type();
    if (type == expected) return;
    findings_.at(loop, "L-loop",
                 "has " + findings_.name(id) + ", a " + to_string(type) + "; expected " + to_string(expected));
  }

  const Plan& plan_;
  PlanFindings& findings_;
  std::vector<bool> issued_;
  std::optional<InstructionId> last_;  ///< the latest of the group so far
};

}  // namespace

void verify_structure(const Plan& plan, PlanFindings& findings) { Structure(plan, findings).run(); }

}  // namespace isoshard
