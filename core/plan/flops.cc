// Counts the scalar products and sums of contractions, by queues and loops as they are nested: a body once, times its
// iterations. Everything else is left out, as in the published numbers of models that users compare with. Cost: one
// visit per instruction, however often it runs.
#include "core/plan/flops.h"

namespace isoshard {
namespace {

double elements(const Shape& shape) {
  double count = 1;
  for (const int64_t size : shape) count *= static_cast<double>(size);
  return count;
}

double flops_of(const Plan& plan, const Instruction& instruction) {
  const LocalOp* local = std::get_if<LocalOp>(&instruction.data());
  const DotGeneral* dot = local == nullptr ? nullptr : std::get_if<DotGeneral>(&local->op);
  if (dot == nullptr) return 0;
  double flops = 2 * elements(plan.value(instruction.results[0]).type().shape);
  const Shape& left = plan.value(instruction.operands[0]).type().shape;
  for (const int64_t dim : dot->contract.lhs) flops *= static_cast<double>(left[static_cast<size_t>(dim)]);
  return flops;
}

double flops_of(const Plan& plan, const std::vector<Block>& blocks) {
  double flops = 0;
  for (const Block& block : blocks) {
    if (block.repeat) flops += static_cast<double>(block.repeat->count) * flops_of(plan, block.repeat->body);
    for (const Queue& queue : block.queues) {
      for (const InstructionId id : queue.instructions) flops += flops_of(plan, plan.instruction(id));
    }
  }
  return flops;
}

}  // namespace

double matmul_flops(const Plan& plan, const RankGroup& group) { return flops_of(plan, group.blocks); }

double matmul_flops(const Plan& plan) {
  double flops = 0;
  for (const RankGroup& group : plan.groups) {
    const int64_t ranks = group.size(*plan.mesh);
    flops += static_cast<double>(ranks) * matmul_flops(plan, group);
  }
  return flops;
}

}  // namespace isoshard
