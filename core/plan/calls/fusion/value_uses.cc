// Counts uses block by block, in issue order, which is one in which values are made before they are used. What a loop
// is given or gives is needed elsewhere, and so is what communicates, is stored or crosses blocks.
#include "core/plan/calls/fusion/value_uses.h"

#include <set>

#include "core/plan/order/issue_order.h"
#include "core/plan/renames.h"

namespace isoshard::calls {

ValueUses::ValueUses(const Plan& plan, const RankGroup& group) { note(plan, group.blocks); }

PlanValueId ValueUses::named(PlanValueId id) const {
  const auto found = named_.find(id);
  return found == named_.end() ? id : found->second;
}

std::optional<int64_t> ValueUses::of(PlanValueId value) const {
  const auto found = uses_.find(value);
  if (found == uses_.end() || found->second.elsewhere) return std::nullopt;
  return found->second.count;
}

void ValueUses::keep(const std::vector<PlanValueId>& ids) {
  for (const PlanValueId id : ids) uses_[named(id)].elsewhere = true;
}

void ValueUses::note(const Plan& plan, const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    note_instructions(plan, block);
    if (!block.repeat) continue;
    const Repeat& repeat = *block.repeat;
    note(plan, repeat.body);
    for (const auto* ids : {&repeat.initial, &repeat.arguments, &repeat.yields, &repeat.results, &repeat.stacked,
                            &repeat.slices, &repeat.parts, &repeat.stacks}) {
      keep(*ids);
    }
  }
}

void ValueUses::note_instructions(const Plan& plan, const Block& block) {
  for (const Issued& issued : in_issue_order(block)) {
    const Instruction& instruction = plan.instruction(issued.id);
    if (only_renames(instruction)) named_[instruction.results[0]] = named(instruction.operands[0]);
    std::set<PlanValueId> operands;
    for (const PlanValueId id : instruction.operands) operands.insert(named(id));
    for (const PlanValueId id : operands) {
      Use& use = uses_[id];
      use.elsewhere = use.elsewhere || use.made_in != &block || !std::holds_alternative<LocalOp>(instruction.data());
      if (!only_renames(instruction)) ++use.count;
    }
    if (only_renames(instruction)) continue;
    for (const PlanValueId id : instruction.results) uses_[id].made_in = &block;
  }
}

}  // namespace isoshard::calls
