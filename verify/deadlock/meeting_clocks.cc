// Vector clocks that count meetings only: what queue order, tokens and `ahead`
// (docs/adr/0047-blocks-are-no-barriers.md) put before an instruction, in one pass in issue order with one clock per
// queue, one per instruction that tokens name, and those of the last `ahead` + 1 iterations of each open loop. Local
// instructions join clocks and count nothing; so what is left of a rank is its meetings and what they need of each
// other. Cost: instructions times queues.
#include "verify/deadlock/meeting_clocks.h"

#include <algorithm>

namespace isoshard::verify {

MeetingClocks::MeetingClocks(const Plan& plan, const ValueOrigins& origins, const RankGroup& group,
                             const Queues& queue_of)
    : clocks_(queue_of.size(), Clock(queue_of.size(), 0)), known_(clocks_) {
  std::vector<Loop*> around;
  add(group.blocks, queue_of, around);
  add_tokens(plan, origins, group.blocks);
}

/// Finds loops and the queues that go through them.
void MeetingClocks::add(const std::vector<Block>& blocks, const Queues& queue_of, std::vector<Loop*>& around) {
  for (const Block& block : blocks) {
    for (size_t q = 0; q < block.queues.size(); ++q) {
      if (block.queues[q].instructions.empty()) continue;
      const uint32_t queue = queue_of.at(QueueId(q));
      for (Loop* loop : around) {
        const bool known = std::find(loop->queues.begin(), loop->queues.end(), queue) != loop->queues.end();
        if (!known) loop->queues.push_back(queue);
      }
    }
    if (!block.repeat || block.repeat->count == 0) continue;
    around.push_back(&loops_[&*block.repeat]);
    add(block.repeat->body, queue_of, around);
    around.pop_back();
  }
}

/// Gives what tokens name a slot.
void MeetingClocks::add_tokens(const Plan& plan, const ValueOrigins& origins, const std::vector<Block>& blocks) {
  std::map<std::pair<const Repeat*, InstructionId>, size_t> previous;
  const auto slot_of = [&](InstructionId reader, const Token& token) {
    if (!token.previous) return latest(token.instruction);
    const Repeat* loop = origins.common_loop(reader, token.instruction);
    const auto [known, is_new] = previous.try_emplace({loop, token.instruction}, slots_.size());
    if (!is_new) return known->second;
    slots_.emplace_back(clocks_.size(), 0);
    const std::pair<size_t, size_t> slots{known->second, latest(token.instruction)};
    if (loop != nullptr) loops_[loop].previous.push_back(slots);
    return slots.first;
  };
  const auto add_blocks = [&](const auto& self, const std::vector<Block>& list) -> void {
    for (const Block& block : list) {
      for (const Queue& queue : block.queues) {
        for (const InstructionId id : queue.instructions) {
          for (const Token& token : plan.instruction(id).waits) waits_[id].push_back(slot_of(id, token));
        }
      }
      if (block.repeat) self(self, block.repeat->body);
    }
  };
  add_blocks(add_blocks, blocks);
}

size_t MeetingClocks::latest(InstructionId id) {
  const auto [known, is_new] = latest_.try_emplace(id, slots_.size());
  if (is_new) slots_.emplace_back(clocks_.size(), 0);
  return known->second;
}

void MeetingClocks::join(Clock& clock, const Clock& other) {
  for (size_t q = 0; q < clock.size(); ++q) clock[q] = std::max(clock[q], other[q]);
}

void MeetingClocks::begin_iteration(const Repeat& repeat, int64_t iteration) {
  Loop& loop = loops_.at(&repeat);
  if (iteration == 0) loop.ends.clear();
  for (const auto& [before, now] : loop.previous) slots_[before] = slots_[now];
  if (iteration <= repeat.ahead) return;
  for (const uint32_t queue : loop.queues) join(clocks_[queue], loop.ends.front());
  loop.ends.pop_front();
}

void MeetingClocks::end_iteration(const Repeat& repeat) {
  if (repeat.ahead >= repeat.count - 1) return;  // nothing waits for it
  Loop& loop = loops_.at(&repeat);
  Clock end(clocks_.size(), 0);
  for (const uint32_t queue : loop.queues) join(end, clocks_[queue]);
  loop.ends.push_back(std::move(end));
}

void MeetingClocks::begin(InstructionId id, uint32_t queue) {
  const auto waits = waits_.find(id);
  if (waits == waits_.end()) return;
  for (const size_t slot : waits->second) join(clocks_[queue], slots_[slot]);
}

std::vector<MeetingNeed> MeetingClocks::needs(uint32_t queue) {
  std::vector<MeetingNeed> result;
  for (uint32_t q = 0; q < clocks_.size(); ++q) {
    const uint32_t meetings = clocks_[queue][q];
    if (q != queue && meetings > known_[queue][q]) result.push_back({q, meetings});
  }
  known_[queue] = clocks_[queue];
  return result;
}

void MeetingClocks::finish(InstructionId id, uint32_t queue) {
  const auto slot = latest_.find(id);
  if (slot != latest_.end()) slots_[slot->second] = clocks_[queue];
}

}  // namespace isoshard::verify
