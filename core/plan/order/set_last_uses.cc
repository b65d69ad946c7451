// Last uses of a Plan, from data flow and tokens (docs/spec/plan.md, "Last uses"): where the memory of a value may be
// given to another one, if blocks follow each other. A value is freed at the first instruction of the last block that
// uses it that all its uses there are ordered before: on one queue that is its last use, on several the place where
// they meet again, or else the end of the block. Loop bodies are blocks of their own that nothing outside reads. Uses
// come in issue order, so one of them is kept as long as it is ordered after all before it; only where queues part is
// there a list. Cost: instructions times queues, and a bisection for each value with a list.
#include "core/plan/order/set_last_uses.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/plan/order/issue_order.h"
#include "core/plan/order/queue_order.h"

namespace isoshard {
namespace {

class FreedValues {
 public:
  explicit FreedValues(Plan& plan)
      : plan_(plan), last_block_(plan.values.size(), kNone), latest_(plan.values.size(), kNone) {}

  /// The blocks of one group or of one body: nothing inside is read outside except what is `leaving`.
  void mark(std::vector<Block>& blocks, const std::vector<PlanValueId>& leaving) {
    for (size_t b = 0; b < blocks.size(); ++b) {
      for_each_use(blocks[b], [&](PlanValueId id) { last_block_[id.index()] = static_cast<uint32_t>(b); });
    }
    for (const PlanValueId id : leaving) last_block_[id.index()] = kNone;
    for (size_t b = 0; b < blocks.size(); ++b) free_in(blocks[b], static_cast<uint32_t>(b));
    for (Block& block : blocks) {
      if (!block.repeat) continue;
      std::vector<PlanValueId> inside = block.repeat->yields;
      inside.insert(inside.end(), block.repeat->parts.begin(), block.repeat->parts.end());
      mark(block.repeat->body, inside);
    }
  }

 private:
  static constexpr uint32_t kNone = static_cast<uint32_t>(-1);

  template <class Use>
  void for_each_use(const Block& block, const Use& use) const {
    if (block.repeat) {
      const Repeat& repeat = *block.repeat;
      for (const auto* ids : {&repeat.initial, &repeat.stacked, &repeat.results, &repeat.stacks}) {
        std::for_each(ids->begin(), ids->end(), use);
      }
      return;
    }
    for (const Queue& queue : block.queues) {
      for (const InstructionId id : queue.instructions) {
        const Instruction& instruction = plan_.instruction(id);
        std::for_each(instruction.results.begin(), instruction.results.end(), use);
        std::for_each(instruction.operands.begin(), instruction.operands.end(), use);
      }
    }
  }

  void free_in(Block& block, uint32_t b) {
    block.last_uses.clear();
    if (block.repeat) {
      for_each_use(block, [&](PlanValueId id) {
        if (last_block_[id.index()] == b) block.last_uses.push_back(id);
      });
      std::sort(block.last_uses.begin(), block.last_uses.end());
      block.last_uses.erase(std::unique(block.last_uses.begin(), block.last_uses.end()), block.last_uses.end());
      return;
    }
    QueueOrder order(block.queues.size());
    std::vector<PlanValueId> here;
    for (const auto& [id, queue] : in_issue_order(block)) {
      add_to(order, id, queue);
      Instruction& instruction = plan_.instructions[id.index()];
      instruction.last_uses.clear();
      for (const auto* ids : {&instruction.results, &instruction.operands}) {
        for (const PlanValueId value : *ids) {
          if (last_block_[value.index()] == b) use(value, order, here);
        }
      }
    }
    std::sort(here.begin(), here.end());
    for (const PlanValueId id : here) {
      const std::optional<InstructionId> last = last_use(id, order);
      if (last) {
        plan_.instructions[last->index()].last_uses.push_back(id);
      } else {
        block.last_uses.push_back(id);
      }
    }
  }

  void add_to(QueueOrder& order, InstructionId id, QueueId queue) {
    waits_.clear();
    for (const Token& token : plan_.instruction(id).waits) {
      if (!token.previous && order.contains(token.instruction)) waits_.push_back(token.instruction);
    }
    order.add(id, queue, waits_);
  }

  /// The last one of `order` uses a value in its last block; `here` are the values that have had a use there.
  void use(PlanValueId value, const QueueOrder& order, std::vector<PlanValueId>& here) {
    const auto now = static_cast<uint32_t>(order.size() - 1);
    const uint32_t before = std::exchange(latest_[value.index()], now);
    if (before == now) return;
    if (before == kNone) return here.push_back(value);
    if (order.is_before_last(before) && (apart_.empty() || !apart_.contains(value))) return;
    std::vector<InstructionId>& uses = apart_[value];
    if (uses.empty()) uses.push_back(order.id(before));
    uses.push_back(order.id(now));
  }

  std::optional<InstructionId> last_use(PlanValueId value, const QueueOrder& order) const {
    const auto apart = apart_.find(value);
    if (apart == apart_.end()) return order.id(latest_[value.index()]);
    return order.first_after(apart->second);
  }

  Plan& plan_;
  std::vector<uint32_t> last_block_;  ///< per value: of its scope, with a use; kNone: it leaves
  std::vector<uint32_t> latest_;      ///< per value: the number of its latest use in that block
  std::unordered_map<PlanValueId, std::vector<InstructionId>> apart_;  ///< the uses of values where queues part
  std::vector<InstructionId> waits_;
};

}  // namespace

void set_last_uses(Plan& plan) {
  FreedValues freed(plan);
  for (RankGroup& group : plan.groups) freed.mark(group.blocks, {});
}

}  // namespace isoshard
