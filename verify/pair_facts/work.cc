// Counts elements instead of reading a clock, so that what a search tries depends on programs and seed only. Bodies of
// loops count once per iteration and are visited once. Cost: one visit per instruction.
#include "verify/pair_facts/work.h"

#include "core/value/tensor.h"

namespace isoshard::verify {
namespace {

uint64_t elements_of(const Plan& plan, const Instruction& instruction) {
  uint64_t sum = 0;
  for (const PlanValueId id : instruction.results) {
    sum += static_cast<uint64_t>(element_count(plan.value(id).type().shape));
  }
  return sum;
}

uint64_t elements_of(const Plan& plan, const std::vector<Block>& blocks) {
  uint64_t sum = 0;
  for (const Block& block : blocks) {
    for (const Queue& queue : block.queues) {
      for (const InstructionId id : queue.instructions) sum += elements_of(plan, plan.instruction(id));
    }
    if (block.repeat) sum += static_cast<uint64_t>(block.repeat->count) * elements_of(plan, block.repeat->body);
  }
  return sum;
}

uint64_t elements_of(const Plan& plan) {
  uint64_t sum = 0;
  for (const RankGroup& group : plan.groups) {
    sum += static_cast<uint64_t>(group.size(*plan.mesh)) * elements_of(plan, group.blocks);
  }
  return sum;
}

}  // namespace

uint64_t elements_computed(const Pair& pair) {
  const uint64_t both = elements_of(pair.sharded.plan) + elements_of(pair.reference.plan);
  return static_cast<uint64_t>(pair.steps) * both;
}

}  // namespace isoshard::verify
