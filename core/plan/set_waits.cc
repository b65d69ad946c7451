// Tokens of a Plan, from data flow alone (docs/spec/plan.md, "Order and tokens"). The instructions of a group are taken
// in issue order, those of a loop once; vector clocks (queue_order.h) say what queue order and earlier tokens already
// imply, and each instruction waits only for what is left. A clock speaks of the latest instances that are issued
// before: inside a loop of the same iteration, behind it of the last one, so that one clock per instruction does for
// all iterations. What the iteration before must have done is a token of another kind; of these it is known per loop
// and queue which was waited for last. Cost: instructions times queues.
#include "core/plan/set_waits.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/plan/issue_order.h"
#include "core/plan/queue_order.h"
#include "core/plan/value_origins.h"
#include "core/support/check.h"

namespace isoshard {
namespace {

/// The tokens of one group.
class Waits {
 public:
  Waits(Plan& plan, const ValueOrigins& origins, size_t queues) : plan_(plan), origins_(origins), order_(queues) {}

  void set(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (!block.repeat) {
        set_in(block);
      } else if (block.repeat->count > 0) {
        set(block.repeat->body);
      }
    }
  }

  /// The tokens of iterations before, when all of the group is known.
  void set_previous() {
    for (auto& [id, queue, needs] : previous_) {
      std::sort(needs.begin(), needs.end(), [](const Token& a, const Token& b) { return b < a; });
      for (const Token& token : needs) {
        if (order_.contains(token.instruction)) add_previous(id, queue, token.instruction);
      }
    }
  }

 private:
  /// An instruction with what must have finished in the iteration before.
  struct Needs {
    InstructionId id;
    QueueId queue;
    std::vector<Token> tokens;
  };
  using PerQueue = std::vector<uint32_t>;  ///< per queue: how many of its instructions were waited for

  void set_in(const Block& block) {
    for (const auto& [id, queue] : in_issue_order(block)) {
      Instruction& instruction = plan_.instructions[id.index()];
      std::vector<Token> needs = instruction.waits;
      for (const PlanValueId operand : instruction.operands) {
        const std::vector<Token> more = origins_.of(operand);
        needs.insert(needs.end(), more.begin(), more.end());
      }
      std::vector<InstructionId> earlier;
      for (const Token& token : needs) {
        if (!token.previous) earlier.push_back(token.instruction);
      }
      earlier = order_.fewest_waits(queue, earlier);
      order_.add(id, queue, earlier);
      needs.erase(std::remove_if(needs.begin(), needs.end(), [](const Token& t) { return !t.previous; }), needs.end());
      if (!needs.empty()) previous_.push_back({id, queue, std::move(needs)});
      instruction.waits.clear();
      for (const InstructionId wait : earlier) instruction.waits.push_back({wait, false});
    }
  }

  /// Unless it is on the same queue, or that queue has waited for it, or for a later one, in the same loop before, or
  /// for something of this iteration that is behind it.
  void add_previous(InstructionId id, QueueId queue, InstructionId wait) {
    const QueuePlace place = order_.place(wait);
    if (place.queue == queue.value) return;
    const Repeat* loop = origins_.common_loop(id, wait);
    ISOSHARD_CHECK(loop != nullptr, "a token for the iteration before is one in a common loop");
    const InstructionId begun = origins_.first_in(loop, QueueId(place.queue));
    if (begun < id && order_.is_before(begun, id)) return;
    PerQueue& known = known_[{loop, queue.value}];
    known.resize(order_.queues(), 0);
    if (known[place.queue] > place.index) return;
    known[place.queue] = place.index + 1;
    plan_.instructions[id.index()].waits.push_back({wait, true});
  }

  Plan& plan_;
  const ValueOrigins& origins_;
  QueueOrder order_;
  std::vector<Needs> previous_;
  std::map<std::pair<const Repeat*, uint32_t>, PerQueue> known_;  ///< by loop and the queue that waits
};

}  // namespace

void set_waits(Plan& plan) {
  const ValueOrigins origins(plan);
  for (const RankGroup& group : plan.groups) {
    Waits waits(plan, origins, queue_count(group.blocks));
    waits.set(group.blocks);
    waits.set_previous();
  }
}

}  // namespace isoshard
