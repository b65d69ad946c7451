// Last uses of a Plan, from data flow and tokens (docs/spec/plan.md, "Last uses"): where the memory of a value may be
// given to another one, if blocks follow each other. A value is freed at the first instruction of the last block that
// uses it that all its uses there are ordered before: on one queue that is its last use, on several the place where
// they meet again, or else the end of the block. Loop bodies are blocks of their own that nothing outside reads. Cost:
// instructions times queues, and a bisection per value and queue.
#include "core/plan/set_last_uses.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/plan/issue_order.h"
#include "core/plan/queue_order.h"

namespace isoshard {
namespace {

/// The blocks of one group or of one body: nothing inside is read outside except the yields.
class Scope {
 public:
  Scope(Plan& plan, std::vector<Block>& blocks, const std::vector<PlanValueId>& yields)
      : plan_(plan), blocks_(blocks), yields_(yields) {}

  void mark() {
    for (size_t b = 0; b < blocks_.size(); ++b) collect(b);
    for (const PlanValueId id : yields_) uses_.erase(id);
    std::vector<std::vector<PlanValueId>> ends(blocks_.size());
    for (const auto& [id, uses] : uses_) ends[uses.block].push_back(id);
    for (size_t b = 0; b < blocks_.size(); ++b) free_in(b, std::move(ends[b]));
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
    for (const Issued& issued : in_issue_order(block)) {
      Instruction& instruction = plan_.instructions[issued.id.index()];
      instruction.last_uses.clear();
      for (const PlanValueId id : instruction.results) read(id, b, issued.id);
      for (const PlanValueId id : instruction.operands) read(id, b, issued.id);
    }
  }

  /// `here`: the values whose last uses are in the block.
  void free_in(size_t b, std::vector<PlanValueId> here) {
    Block& block = blocks_[b];
    QueueOrder order(block.queues.size());
    for (const auto& [id, queue] : in_issue_order(block)) {
      std::vector<InstructionId> waits;
      for (const Token& token : plan_.instruction(id).waits) {
        if (!token.previous && order.contains(token.instruction)) waits.push_back(token.instruction);
      }
      order.add(id, queue, waits);
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

void set_last_uses(Plan& plan) {
  for (RankGroup& group : plan.groups) {
    const std::vector<PlanValueId> none;
    Scope scope(plan, group.blocks, none);
    scope.mark();
  }
}

}  // namespace isoshard
