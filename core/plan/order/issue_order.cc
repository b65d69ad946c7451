#include "core/plan/order/issue_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace isoshard {
namespace {

bool is_earlier(const Issued& a, const Issued& b) { return a.id < b.id; }

/// Sorts what is sorted from each of `begins` to the next one.
void merge(std::vector<Issued>& issued, std::vector<size_t> begins) {
  const auto at = [&](size_t i) { return issued.begin() + static_cast<int64_t>(begins[i]); };
  while (begins.size() > 2) {
    std::vector<size_t> left{0};
    for (size_t i = 0; i + 1 < begins.size(); i += 2) {
      const size_t end = std::min(i + 2, begins.size() - 1);
      std::inplace_merge(at(i), at(i + 1), at(end), is_earlier);
      left.push_back(begins[end]);
    }
    begins = std::move(left);
  }
}

}  // namespace

QueueId queue_of(const Plan& plan, const Instruction& instruction) {
  const CommunicatorId* communicator = communicator_of(instruction.data());
  return communicator == nullptr ? QueueId(0) : plan.communicators[communicator->index()].queue;
}

std::vector<Issued> in_issue_order(const Block& block) {
  size_t count = 0;
  for (const Queue& queue : block.queues) count += queue.instructions.size();
  std::vector<Issued> result;
  result.reserve(count);
  std::vector<size_t> begins{0};
  for (size_t q = 0; q < block.queues.size(); ++q) {
    for (const InstructionId id : block.queues[q].instructions) result.push_back({id, QueueId(q)});
    if (result.size() > begins.back()) begins.push_back(result.size());
  }
  merge(result, std::move(begins));
  if (!std::is_sorted(result.begin(), result.end(), is_earlier)) {  // no valid Plan
    std::sort(result.begin(), result.end(), is_earlier);
  }
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
