#pragma once

#include <vector>

#include "core/plan/plan.h"

namespace isoshard {

/// An instruction with the queue that it is on.
struct Issued {
  InstructionId id;
  QueueId queue;
};

/// The queue that an instruction has to be on: that of its communicator, or `compute`.
QueueId queue_of(const Plan& plan, const Instruction& instruction);

/// The instructions of a block's queues in the one order in which every rank launches them.
std::vector<Issued> in_issue_order(const Block& block);

/// How many queues the blocks have, those of loops too.
size_t queue_count(const std::vector<Block>& blocks);

}  // namespace isoshard
