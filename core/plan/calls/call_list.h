#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/builder/cover.h"
#include "core/plan/calls/call.h"

namespace isoshard::calls {

/// Part of the memory of a rank.
struct Section {
  std::string name;  ///< `arena`, `scratch`, `@W`, `output @y`
  Place place = 0;
  int64_t bytes = 0;
};

/// A box of a global that a rank reads, or of an output that it writes, dense and row-major in its memory.
struct HeldBox {
  uint32_t of = 0;   ///< GlobalId of a global, index of an output
  IndexRange range;  ///< in the whole array; it may reach over its end
  Place place = 0;
};

/// One communicator of the Plan as a rank sees it, made by ncclCommSplit of all ranks, in table order.
struct Membership {
  std::string name;
  int64_t color = -1;  ///< equal for members of one group; -1: the rank is in none
  int64_t index = 0;   ///< of the rank in its group
  int64_t size = 0;    ///< of the group
};

/// What one rank issues in one step, and the memory in which that happens.
struct CallList {
  int64_t position = 0;
  int64_t bytes = 0;  ///< of the memory of the rank, all sections
  std::vector<Section> sections;
  std::vector<std::string> streams;  ///< names of the queues
  uint32_t events = 0;
  size_t tokens = 0;                      ///< that the Plan's queues wait for in a step
  size_t waits = 0;                       ///< for events that are left of them, those that bound loops among them
  std::vector<Membership> communicators;  ///< by CommunicatorId
  std::vector<HeldBox> inputs;
  std::vector<HeldBox> outputs;  ///< a box for each store; of stores of the same box the last
  std::vector<Call> calls;
};

}  // namespace isoshard::calls
