// Where each instruction of a Plan stands, queue and place in it, and which group each device belongs to, so that a
// device can say with two numbers how far it is. It also estimates the work of a run, elements moved plus products over
// 8, since these are vectorised, times the repetitions of loops and the devices; small runs then need no further
// workers. Cost: one walk over the Plan.
#include "sim/engine/engine_index.h"

#include "core/support/check.h"

namespace isoshard::sim {
namespace {

double elements(const Plan& plan, const std::vector<PlanValueId>& ids) {
  double sum = 0;
  for (const PlanValueId id : ids) sum += static_cast<double>(element_count(plan.value(id).type.shape));
  return sum;
}

double work_of(const Plan& plan, const Instruction& instruction) {
  const double moved = 1 + elements(plan, instruction.operands) + elements(plan, instruction.results);
  const auto* local = std::get_if<LocalOp>(&instruction.data);
  const DotGeneral* dot = local == nullptr ? nullptr : std::get_if<DotGeneral>(&local->op);
  if (dot == nullptr) return moved;
  double products = elements(plan, instruction.results);
  const Shape& lhs = plan.value(instruction.operands[0]).type.shape;
  for (const int64_t dim : dot->contract.lhs) products *= static_cast<double>(lhs[static_cast<size_t>(dim)]);
  return moved + products / 8;  // products are vectorised
}

}  // namespace

PlanIndex::PlanIndex(const Plan& plan)
    : places_(plan.instructions.size()), groups_(static_cast<size_t>(plan.mesh->device_count()), nullptr) {
  for (const RankGroup& group : plan.groups) {
    const bool everyone = group.positions.empty();
    for (const int64_t position : group.positions) {
      ISOSHARD_CHECK(position >= 0 && position < plan.mesh->device_count(), "position of a rank group");
      ISOSHARD_CHECK(groups_[static_cast<size_t>(position)] == nullptr, "a position belongs to two rank groups");
      groups_[static_cast<size_t>(position)] = &group;
    }
    if (everyone) groups_.assign(groups_.size(), &group);
    add(plan, group.blocks, static_cast<double>(everyone ? groups_.size() : group.positions.size()));
  }
}

void PlanIndex::add(const Plan& plan, const std::vector<Block>& blocks, double repetitions) {
  for (const Block& block : blocks) {
    if (block.repeat) {
      add(plan, block.repeat->body, repetitions * static_cast<double>(block.repeat->count));
      continue;
    }
    for (size_t q = 0; q < block.queues.size(); ++q) {
      const std::vector<InstructionId>& instructions = block.queues[q].instructions;
      for (size_t i = 0; i < instructions.size(); ++i) {
        places_[instructions[i].index()] = {static_cast<uint32_t>(q), static_cast<uint32_t>(i)};
        work_ += repetitions * work_of(plan, plan.instruction(instructions[i]));
      }
    }
  }
}

}  // namespace isoshard::sim
