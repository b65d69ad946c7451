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
  explicit FreedValues(Plan& plan) : plan_(plan), uses_(plan.values.size()) {}

  /// The blocks of one group or of one body: nothing inside is read outside except what is `leaving`.
  void mark(std::vector<Block>& blocks, const std::vector<PlanValueId>& leaving) {
    for (size_t b = 0; b < blocks.size(); ++b) {
      for_each_use(blocks[b], [&](PlanValueId id) { uses_[id.index()] = Use::in_block(b); });
    }
    for (const PlanValueId id : leaving) uses_[id.index()] = Use();
    for (size_t b = 0; b < blocks.size(); ++b) free_in(blocks[b], b);
    for (Block& block : blocks) {
      if (!block.repeat) continue;
      std::vector<PlanValueId> inside = block.repeat->yields;
      inside.insert(inside.end(), block.repeat->parts.begin(), block.repeat->parts.end());
      mark(block.repeat->body, inside);
    }
  }

 private:
  /// What is known of the uses of a value: nothing, or that it leaves; the last block of its scope that has one; or,
  /// while that block is looked at, the number of the latest one in it.
  class Use {
   public:
    Use() = default;
    static Use in_block(size_t block) { return Use(static_cast<uint32_t>(2 * block)); }
    static Use at(size_t number) { return Use(static_cast<uint32_t>(2 * number + 1)); }
    bool is_in_block(size_t block) const { return *this == in_block(block); }
    bool is_met() const { return what_ != kNothing && (what_ & 1) != 0; }
    size_t number() const { return what_ / 2; }
    bool operator==(const Use&) const = default;

   private:
    static constexpr uint32_t kNothing = static_cast<uint32_t>(-1);
    explicit Use(uint32_t what) : what_(what) {}
    uint32_t what_ = kNothing;
  };
  /// A value and where it is freed; not valid, which is behind all others: at the end of the block.
  struct Freed {
    InstructionId at;
    PlanValueId value;
    auto operator<=>(const Freed&) const = default;
  };

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
        const Instruction instruction = plan_.instruction(id);
        std::for_each(instruction.results.begin(), instruction.results.end(), use);
        std::for_each(instruction.operands.begin(), instruction.operands.end(), use);
      }
    }
  }

  void free_in(Block& block, size_t b) {
    block.last_uses.clear();
    if (block.repeat) {
      for_each_use(block, [&](PlanValueId id) {
        if (uses_[id.index()].is_in_block(b)) block.last_uses.push_back(id);
      });
      std::sort(block.last_uses.begin(), block.last_uses.end());
      block.last_uses.erase(std::unique(block.last_uses.begin(), block.last_uses.end()), block.last_uses.end());
      return;
    }
    QueueOrder order(block.queues.size());
    std::vector<PlanValueId> here;
    for (const auto& [id, queue] : in_issue_order(block)) {
      add_to(order, id, queue);
      const Instruction instruction = plan_.instruction(id);
      for (const auto* ids : {&instruction.results, &instruction.operands}) {
        for (const PlanValueId value : *ids) {
          if (uses_[value.index()].is_in_block(b) || uses_[value.index()].is_met()) use(value, order, here);
        }
      }
    }
    std::vector<Freed> freed;
    freed.reserve(here.size());
    for (const PlanValueId id : here) freed.push_back({last_use(id, order).value_or(InstructionId()), id});
    std::sort(freed.begin(), freed.end());
    set(order, freed, block);
  }

  /// The instructions of a block free these, in their order, and its end those of none.
  void set(const QueueOrder& order, const std::vector<Freed>& freed, Block& block) {
    auto next = freed.begin();
    for (size_t n = 0; n < order.size(); ++n) {
      const InstructionId id = order.id(n);
      values_.clear();
      for (; next != freed.end() && next->at == id; ++next) values_.push_back(next->value);
      if (values_.empty() && plan_.instruction(id).last_uses.empty()) continue;
      plan_.instructions.set_last_uses(id, values_);
    }
    for (; next != freed.end(); ++next) block.last_uses.push_back(next->value);
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
    const Use now = Use::at(order.size() - 1), last = std::exchange(uses_[value.index()], now);
    if (last == now) return;
    if (!last.is_met()) return here.push_back(value);
    const size_t before = last.number();
    if (order.is_before_last(before) && (apart_.empty() || !apart_.contains(value))) return;
    std::vector<InstructionId>& uses = apart_[value];
    if (uses.empty()) uses.push_back(order.id(before));
    uses.push_back(order.id(now.number()));
  }

  std::optional<InstructionId> last_use(PlanValueId value, const QueueOrder& order) const {
    const auto apart = apart_.find(value);
    if (apart == apart_.end()) return order.id(uses_[value.index()].number());
    return order.first_after(apart->second);
  }

  Plan& plan_;
  std::vector<Use> uses_;                                              ///< per value
  std::unordered_map<PlanValueId, std::vector<InstructionId>> apart_;  ///< the uses of values where queues part
  std::vector<InstructionId> waits_;
  std::vector<PlanValueId> values_;  ///< that the instruction at hand frees
};

}  // namespace

void set_last_uses(Plan& plan) {
  FreedValues freed(plan);
  for (RankGroup& group : plan.groups) freed.mark(group.blocks, {});
}

}  // namespace isoshard
