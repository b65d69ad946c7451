// Tokens of a Plan, from data flow alone (docs/spec/plan.md, "Order and tokens"). The instructions of a group are taken
// in issue order, those of a loop once; vector clocks (queue_order.h) say what queue order and earlier tokens already
// imply, and each instruction waits only for what is left. A clock speaks of the latest instances that are issued
// before: inside a loop of the same iteration, behind it of the last one, so that one clock per instruction does for
// all iterations. What the iteration before must have done is a token of another kind; of these it is known per loop
// and queue which was waited for last. Most operands are made on the queue that reads them, which needs no clock. Cost:
// instructions times queues.
#include "core/plan/order/set_waits.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/plan/order/issue_order.h"
#include "core/plan/order/queue_order.h"
#include "core/plan/order/value_origins.h"
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
    for (const Issued& issued : in_issue_order(block)) {
      const InstructionId id = issued.id;
      const QueueId queue = issued.queue;
      const Instruction instruction = plan_.instruction(id);
      earlier_.clear();
      std::vector<Token> previous;
      const auto need = [&](const Token& token) {
        if (token.previous) {
          previous.push_back(token);
        } else if (queue_of(plan_, plan_.instruction(token.instruction)) != queue) {
          earlier_.push_back(token.instruction);
        }
      };
      std::for_each(instruction.waits.begin(), instruction.waits.end(), need);
      for (const PlanValueId operand : instruction.operands) for_each_origin(operand, need);
      const std::vector<InstructionId> fewest = order_.fewest_waits(queue, earlier_);
      order_.add(id, queue, fewest);
      if (!previous.empty()) previous_.push_back({id, queue, std::move(previous)});
      if (fewest.empty() && instruction.waits.empty()) continue;
      waits_.clear();
      for (const InstructionId wait : fewest) waits_.push_back({wait, false});
      plan_.instructions.set_waits(id, waits_);
    }
  }

  template <class Need>
  void for_each_origin(PlanValueId operand, const Need& need) const {
    if (const InstructionId made = origins_.made_by(operand); made.valid()) return need(Token{made, false});
    const std::vector<Token> origins = origins_.of(operand);
    std::for_each(origins.begin(), origins.end(), need);
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
    std::vector<Token> waits(plan_.instruction(id).waits);
    waits.push_back({wait, true});
    plan_.instructions.set_waits(id, waits);
  }

  Plan& plan_;
  const ValueOrigins& origins_;
  QueueOrder order_;
  std::vector<InstructionId> earlier_;  ///< what the instruction at hand needs of other queues
  std::vector<Token> waits_;            ///< of the instruction at hand
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
