#pragma once

#include <compare>
#include <string>
#include <utility>

#include "core/plan/instruction_data.h"
#include "core/plan/plan_ids.h"
#include "core/plan/plan_value.h"
#include "core/support/location.h"
#include "core/support/shared.h"
#include "core/support/short_list.h"

namespace isoshard {

/// Order between queues: the one that waits starts only when the latest instance of `instruction` that is issued before
/// it has finished, or, of an instruction in a common loop, the last one of the iteration before. No instance, no wait.
struct Token {
  InstructionId instruction;
  bool previous = false;
  auto operator<=>(const Token&) const = default;
};

using PlanValueIds = ShortList<PlanValueId>;
using Tokens = ShortList<Token>;

/// One step of each rank of a group. Instructions of several calls of a function share what they do.
class Instruction {
 public:
  Instruction() = default;
  Instruction(InstructionData data, PlanValueIds reads, PlanValueIds makes, Location where, std::string op)
      : operands(std::move(reads)),
        results(std::move(makes)),
        work_(Work{std::move(data), std::move(op), std::move(where)}) {}

  const InstructionData& data() const { return work_->data; }
  InstructionData& own_data() { return work_.own().data; }  ///< to be changed for this instruction alone
  const std::string& op() const { return work_->op; }       ///< the IR op it came from, for messages
  void set_op(std::string op) { work_.own().op = std::move(op); }
  const Location& location() const { return work_->location; }
  void set_location(Location where) { work_.own().location = std::move(where); }

  PlanValueIds operands;
  PlanValueIds results;
  Tokens waits;  ///< for instructions on other queues
  /// Values that nothing reads once this instruction has finished: operands in most cases, a result that nobody reads,
  /// or a value whose uses on several queues are all ordered before this instruction. Yields are never listed.
  PlanValueIds last_uses;
  ActionId action{};  ///< of a pipeline's schedule, which it is part of; invalid: of none

 private:
  struct Work {
    InstructionData data;
    std::string op;
    Location location;
  };
  Shared<Work> work_;
};

}  // namespace isoshard
