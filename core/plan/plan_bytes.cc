#include "core/plan/plan_bytes.h"

namespace isoshard {
namespace {

size_t queue_bytes(const std::vector<Block>& blocks) {
  size_t result = blocks.capacity() * sizeof(Block);
  for (const Block& block : blocks) {
    result += block.queues.capacity() * sizeof(Queue) + block.last_uses.capacity() * sizeof(PlanValueId);
    for (const Queue& queue : block.queues) result += queue.instructions.capacity() * sizeof(InstructionId);
    if (block.repeat) result += queue_bytes(block.repeat->body);
  }
  return result;
}

}  // namespace

size_t stored_bytes(const Plan& plan) {
  size_t result = plan.instructions.bytes() + plan.values.bytes() + plan.actions.bytes();
  result += plan.calls.capacity() * sizeof(PlanCall);
  for (const RankGroup& group : plan.groups) result += queue_bytes(group.blocks);
  return result;
}

}  // namespace isoshard
