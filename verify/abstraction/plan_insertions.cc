#include "verify/abstraction/plan_insertions.h"

#include <algorithm>
#include <utility>

#include "core/plan/order/issue_order.h"
#include "core/plan/order/set_last_uses.h"
#include "core/plan/order/set_waits.h"

namespace isoshard::verify {

PlanValueId PlanInsertions::new_value(TensorType type, std::string name) {
  return plan_.values.add(std::move(type), std::move(name));
}

PlanValueId PlanInsertions::add(InstructionData data, const std::vector<PlanValueId>& operands, TensorType type,
                                const std::string& name) {
  const PlanValueId result = new_value(std::move(type), name);
  add_for(std::move(data), operands, {result});
  return result;
}

void PlanInsertions::add_for(InstructionData data, const std::vector<PlanValueId>& operands,
                             const std::vector<PlanValueId>& results) {
  const Instruction place = plan_.instruction(place_);
  before_[place_.index()].emplace_back(std::move(data), operands, results, place.location(), place.op());
}

void PlanInsertions::rename_result(InstructionId place, size_t n) {
  plan_.instructions.change(place, [&](NewInstruction& renamed) {
    const PlanValue old = plan_.value(renamed.results[n]);
    renamed.results[n] = new_value(old.type(), old.name() + ".before");
  });
}

Plan PlanInsertions::finish() && {
  const InstructionList old = plan_.instructions;
  plan_.instructions.clear();
  std::vector<InstructionId> moved;
  std::map<size_t, std::vector<InstructionId>> added;
  for (size_t i = 0; i < old.size(); ++i) {
    for (const NewInstruction& instruction : before_[i]) added[i].push_back(plan_.instructions.add(instruction));
    NewInstruction own = old.copy(InstructionId(i));
    own.waits.clear();
    moved.push_back(plan_.instructions.add(own));
  }
  for (RankGroup& group : plan_.groups) place_in(group.blocks, moved, added);
  set_waits(plan_);
  set_last_uses(plan_);
  return std::move(plan_);
}

/// An instruction on another queue than the one that it stands before is in the same block, in the order of issue.
void PlanInsertions::place_in(std::vector<Block>& blocks, const std::vector<InstructionId>& moved,
                              const std::map<size_t, std::vector<InstructionId>>& added) const {
  for (Block& block : blocks) {
    if (block.repeat) place_in(block.repeat->body, moved, added);
    std::vector<InstructionId> more;
    for (Queue& queue : block.queues) {
      for (InstructionId& id : queue.instructions) {
        const auto found = added.find(id.index());
        if (found != added.end()) more.insert(more.end(), found->second.begin(), found->second.end());
        id = moved[id.index()];
      }
    }
    for (const InstructionId id : more) {
      block.queues[queue_of(plan_, plan_.instruction(id)).index()].instructions.push_back(id);
    }
    for (Queue& queue : block.queues) std::sort(queue.instructions.begin(), queue.instructions.end());
  }
}

std::optional<Pair> with_plans(const Pair& pair, std::optional<Plan> sharded, std::optional<Plan> reference) {
  if (!sharded && !reference) return std::nullopt;
  Pair result = pair;
  if (sharded) result.sharded.plan = std::move(*sharded);
  if (reference) result.reference.plan = std::move(*reference);
  return result;
}

}  // namespace isoshard::verify
