#pragma once  // internal

#include <span>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::text {

/// Calls `visit(values, call)` for what each instruction and loop of the blocks defines, in the order of the text, with
/// the innermost call that it is part of.
template <class Visit>
void visit_defined_values(const Plan& plan, const std::vector<isoshard::Block>& blocks, const Visit& visit) {
  for (const isoshard::Block& block : blocks) {
    for (const Queue& queue : block.queues) {
      for (const InstructionId id : queue.instructions) {
        const Instruction& instruction = plan.instruction(id);
        visit(std::span<const PlanValueId>(instruction.results), instruction.call());
      }
    }
    if (!block.repeat) continue;
    const Repeat& loop = *block.repeat;
    visit(std::span<const PlanValueId>(loop.arguments), loop.call);
    visit(std::span<const PlanValueId>(loop.slices), loop.call);
    visit_defined_values(plan, loop.body, visit);
    visit(std::span<const PlanValueId>(loop.results), loop.call);
    visit(std::span<const PlanValueId>(loop.stacks), loop.call);
  }
}

/// Calls `visit(id)` for each instruction of the blocks.
template <class Visit>
void visit_instructions(const std::vector<isoshard::Block>& blocks, const Visit& visit) {
  for (const isoshard::Block& block : blocks) {
    for (const Queue& queue : block.queues) {
      for (const InstructionId id : queue.instructions) visit(id);
    }
    if (block.repeat) visit_instructions(block.repeat->body, visit);
  }
}

}  // namespace isoshard::text
