// What makes an operand has finished when its reader starts: vector clocks from the order of queues and tokens
// (queue_order.h) cover the latest instances of what makes it (value_origins.h). What an iteration before made is
// covered by a token of that kind, of the reader or of an earlier instruction of its queue in the loop, to its queue at
// that place or behind it, or because the reader is behind something of this iteration on that queue. Loops without
// iterations order nothing. Cost: instructions times queues.
#include "core/plan/verify/verify_order.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/plan/order/issue_order.h"
#include "core/plan/order/queue_order.h"
#include "core/plan/order/value_origins.h"

namespace isoshard {
namespace {

class Order {
 public:
  Order(const Plan& plan, const ValueOrigins& origins, size_t queues, PlanFindings& findings)
      : plan_(plan), origins_(origins), findings_(findings), order_(queues) {}

  void run(const std::vector<Block>& blocks) {
    add(blocks);
    for (const InstructionId id : added_) {
      for (const Token& token : plan_.instruction(id).waits) note_previous(id, token);
      for (const PlanValueId operand : plan_.instruction(id).operands) {
        for (const Token& token : origins_.of(operand)) {
          if (!is_covered(id, token)) report(id, operand, token);
        }
      }
    }
  }

 private:
  /// How many instructions of each queue an instruction or those before it have waited for, by loop and queue.
  using Previous = std::map<std::pair<const Repeat*, uint32_t>, std::vector<uint32_t>>;

  void add(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (block.repeat && block.repeat->count > 0) add(block.repeat->body);
      for (const auto& [id, queue] : in_issue_order(block)) {
        std::vector<InstructionId> earlier;
        for (const Token& token : plan_.instruction(id).waits) {
          if (is_right(id, queue, token) && !token.previous) earlier.push_back(token.instruction);
        }
        order_.add(id, queue, earlier);
        added_.push_back(id);
      }
    }
  }

  bool is_right(InstructionId id, QueueId queue, const Token& token) {
    const std::string name = "waits for #" + std::to_string(token.instruction.index());
    if (token.previous) {
      const bool there = token.instruction.index() < plan_.instructions.size() &&
                         origins_.common_loop(id, token.instruction) != nullptr;
      if (!there) findings_.at(id, "L-token", name + " of the iteration before, and no loop is around both");
      return there;
    }
    if (!order_.contains(token.instruction)) {
      findings_.at(id, "L-token", name + ", which its group does not issue before it");
      return false;
    }
    const bool other = order_.place(token.instruction).queue != queue.value;
    if (!other) findings_.at(id, "L-token", name + ", which is on the same queue");
    return other;
  }

  std::vector<uint32_t>& waited(InstructionId id, const Repeat* loop) {
    std::vector<uint32_t>& known = previous_[{loop, order_.place(id).queue}];
    known.resize(order_.queues(), 0);
    return known;
  }

  void note_previous(InstructionId id, const Token& token) {
    if (!token.previous || !order_.contains(token.instruction)) return;
    const Repeat* loop = origins_.common_loop(id, token.instruction);
    if (loop == nullptr) return;
    const QueuePlace place = order_.place(token.instruction);
    uint32_t& known = waited(id, loop)[place.queue];
    known = std::max(known, place.index + 1);
  }

  bool is_covered(InstructionId id, const Token& need) {
    if (!order_.contains(need.instruction)) return true;  // in a loop without iterations
    const QueuePlace made = order_.place(need.instruction), read = order_.place(id);
    if (made.queue == read.queue) return need.previous || made.index < read.index;
    if (!need.previous) return order_.is_before(need.instruction, id);
    const Repeat* loop = origins_.common_loop(id, need.instruction);
    if (waited(id, loop)[made.queue] > made.index) return true;
    const InstructionId begun = origins_.first_in(loop, QueueId(made.queue));
    return begun < id && order_.is_before(begun, id);
  }

  void report(InstructionId id, PlanValueId operand, const Token& need) {
    findings_.at(id, "L-order",
                 "reads " + findings_.name(operand) + " and does not wait for #" +
                     std::to_string(need.instruction.index()) + ", which makes it" +
                     (need.previous ? " in the iteration before" : "") + " on another queue");
  }

  const Plan& plan_;
  const ValueOrigins& origins_;
  PlanFindings& findings_;
  QueueOrder order_;
  std::vector<InstructionId> added_;  ///< in issue order
  Previous previous_;
};

}  // namespace

void verify_order(const Plan& plan, PlanFindings& findings) {
  const ValueOrigins origins(plan);
  for (const RankGroup& group : plan.groups) {
    Order(plan, origins, queue_count(group.blocks), findings).run(group.blocks);
  }
}

}  // namespace isoshard
