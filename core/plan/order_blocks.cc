// Tokens and last uses of a Plan, from data flow alone (docs/spec/plan.md, "Order and tokens", "Last uses"). Within a
// block instructions are taken in issue order; vector clocks (block_order.h) say what queue order and earlier tokens
// already imply, and each instruction waits only for what is left. A value is freed at the first instruction that all
// its uses are ordered before: on one queue that is its last use, on several the place where they meet again, or else
// the end of the block. Loop bodies are blocks of their own that nothing outside reads. Cost: instructions times
// queues, and a bisection per value and queue.
#include "core/plan/order_blocks.h"

#include <algorithm>
#include <unordered_map>

#include "core/plan/block_order.h"
#include "core/support/check.h"

namespace isoshard {
namespace {

struct Issued {
  InstructionId id;
  QueueId queue;
};

std::vector<Issued> issued_with_queues(const Block& block) {
  std::vector<Issued> result;
  for (size_t q = 0; q < block.queues.size(); ++q) {
    for (const InstructionId id : block.queues[q].instructions) result.push_back({id, QueueId(q)});
  }
  std::sort(result.begin(), result.end(), [](const Issued& a, const Issued& b) { return a.id < b.id; });
  return result;
}

void set_block_waits(Plan& plan, const Block& block) {
  BlockOrder order(block.queues.size());
  std::unordered_map<PlanValueId, InstructionId> definitions;
  for (const Issued& issued : issued_with_queues(block)) {
    Instruction& instruction = plan.instructions[issued.id.index()];
    std::vector<InstructionId> needs = instruction.waits;
    for (const PlanValueId operand : instruction.operands) {
      const auto definition = definitions.find(operand);  // absent: from an earlier block, or carried
      if (definition != definitions.end()) needs.push_back(definition->second);
    }
    instruction.waits = order.fewest_waits(issued.queue, needs);
    order.add(issued.id, issued.queue, instruction.waits);
    for (const PlanValueId result : instruction.results) definitions[result] = issued.id;
  }
}

void set_waits_of(Plan& plan, const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    if (block.repeat) {
      set_waits_of(plan, block.repeat->body);
    } else {
      set_block_waits(plan, block);
    }
  }
}

/// The blocks of one group or of one body: nothing inside is read outside except the yields.
class Scope {
 public:
  Scope(Plan& plan, std::vector<Block>& blocks, const std::vector<PlanValueId>& yields)
      : plan_(plan), blocks_(blocks), yields_(yields) {}

  void mark() {
    for (size_t b = 0; b < blocks_.size(); ++b) collect(b);
    for (const PlanValueId id : yields_) uses_.erase(id);
    for (size_t b = 0; b < blocks_.size(); ++b) free_in(b);
    for (Block& block : blocks_) {
      if (!block.repeat) continue;
      std::vector<PlanValueId> leaving = block.repeat->yields;
      leaving.insert(leaving.end(), block.repeat->parts.begin(), block.repeat->parts.end());
      Scope body(plan_, block.repeat->body, leaving);
      body.mark();
    }
  }

 private:
  /// The last block that reads or defines a value and its readers there; a value without readers is read by its
  /// definition.
  struct Uses {
    size_t block = 0;
    std::vector<InstructionId> readers;
  };

  void read(PlanValueId id, size_t block, InstructionId reader) {
    Uses& uses = uses_[id];
    if (uses.block != block) uses = {block, {}};
    uses.readers.push_back(reader);
  }

  void collect(size_t b) {
    Block& block = blocks_[b];
    block.last_uses.clear();
    if (block.repeat) {
      const Repeat& repeat = *block.repeat;
      for (const auto* ids : {&repeat.initial, &repeat.stacked, &repeat.results, &repeat.stacks}) {
        for (const PlanValueId id : *ids) uses_[id] = {b, {}};
      }
      return;
    }
    for (const Issued& issued : issued_with_queues(block)) {
      Instruction& instruction = plan_.instructions[issued.id.index()];
      instruction.last_uses.clear();
      for (const PlanValueId id : instruction.results) read(id, b, issued.id);
      for (const PlanValueId id : instruction.operands) read(id, b, issued.id);
    }
  }

  void free_in(size_t b) {
    Block& block = blocks_[b];
    BlockOrder order(block.queues.size());
    for (const Issued& issued : issued_with_queues(block)) {
      order.add(issued.id, issued.queue, plan_.instruction(issued.id).waits);
    }
    std::vector<PlanValueId> here;
    for (const auto& [id, uses] : uses_) {
      if (uses.block == b) here.push_back(id);
    }
    std::sort(here.begin(), here.end());
    for (const PlanValueId id : here) {
      std::optional<InstructionId> last;
      if (!block.repeat) last = order.first_after(uses_[id].readers);
      (last ? plan_.instructions[last->index()].last_uses : block.last_uses).push_back(id);
    }
  }

  Plan& plan_;
  std::vector<Block>& blocks_;
  const std::vector<PlanValueId>& yields_;
  std::unordered_map<PlanValueId, Uses> uses_;
};

}  // namespace

void set_waits(Plan& plan) {
  for (const RankGroup& group : plan.groups) set_waits_of(plan, group.blocks);
}

void set_last_uses(Plan& plan) {
  for (RankGroup& group : plan.groups) {
    const std::vector<PlanValueId> none;
    Scope scope(plan, group.blocks, none);
    scope.mark();
  }
}

}  // namespace isoshard
