#include "core/plan/issue_order.h"

#include <algorithm>

namespace isoshard {

QueueId queue_of(const Plan& plan, const Instruction& instruction) {
  const CommunicatorId* communicator = communicator_of(instruction.data());
  return communicator == nullptr ? QueueId(0) : plan.communicators[communicator->index()].queue;
}

std::vector<Issued> in_issue_order(const Block& block) {
  size_t count = 0;
  for (const Queue& queue : block.queues) count += queue.instructions.size();
  std::vector<Issued> result;
  result.reserve(count);
  for (size_t q = 0; q < block.queues.size(); ++q) {
    for (const InstructionId id : block.queues[q].instructions) result.push_back({id, QueueId(q)});
  }
  std::sort(result.begin(), result.end(), [](const Issued& a, const Issued& b) { return a.id < b.id; });
  return result;
}

size_t queue_count(const std::vector<Block>& blocks) {
  size_t count = 0;
  for (const Block& block : blocks) {
    count = std::max({count, block.queues.size(), block.repeat ? queue_count(block.repeat->body) : 0});
  }
  return count;
}

}  // namespace isoshard
