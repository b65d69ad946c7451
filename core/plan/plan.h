#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/instruction_list.h"
#include "core/plan/plan_action_list.h"
#include "core/plan/plan_call.h"
#include "core/plan/plan_value_list.h"

namespace isoshard {

/// An in-order queue: `compute` (always QueueId 0), or one communicator. Instruction ids ascend along a queue; over all
/// queues of a group they are the one issue order in which every rank launches, loops iteration by iteration.
struct Queue {
  std::string name;
  std::vector<InstructionId> instructions;
};

struct Block;

/// `repeat n { body }`: carried values enter as `initial`, are `arguments` inside, and leave as `results`; iteration i
/// reads slice i along dimension 0 of each stacked input and writes part i of each stacked output.
///
/// A body captures nothing: a value from outside is read inside only as an argument or a slice. The iteration is
/// Expr::loop_index(0). After 0 iterations the results are the initial values, the stacked outputs have no elements.
struct Repeat {
  int64_t count = 0;
  int64_t ahead = 1;  ///< an iteration begins on a queue when all queues are done with that of `ahead` + 1 before
  std::vector<PlanValueId> initial;    ///< outside
  std::vector<PlanValueId> arguments;  ///< inside, at the start of an iteration
  std::vector<PlanValueId> yields;     ///< inside, at the end of an iteration
  std::vector<PlanValueId> results;    ///< outside, after the last iteration
  std::vector<PlanValueId> stacked;    ///< outside: inputs, `count` slices along dimension 0
  std::vector<PlanValueId> slices;     ///< inside, at the start of an iteration
  std::vector<PlanValueId> parts;      ///< inside, at the end of an iteration
  std::vector<PlanValueId> stacks;     ///< outside, after the last iteration: the parts along a new dimension 0
  std::vector<Block> body;
  Location location;
  CallId call;  ///< of a function, the innermost one that it is part of; invalid: of none
};

/// Either queues that run side by side, or a loop. Each queue runs its instructions of one block after another and goes
/// through loops by itself: blocks are no barriers, tokens alone order queues.
struct Block {
  std::vector<Queue> queues;  ///< indexed by QueueId
  std::optional<Repeat> repeat;
  /// Values that no instruction frees and nothing reads after this block; for a `repeat`, initial values and stacked
  /// inputs that nothing reads after its start, and results that nothing reads.
  std::vector<PlanValueId> last_uses;
};

/// Ranks that run the same instructions. SPMD programs have one group with every position.
struct RankGroup {
  std::string name;
  std::vector<int64_t> positions;  ///< sorted; empty means every position of the mesh
  std::vector<Block> blocks;

  /// How many ranks it has.
  int64_t size(const Mesh& mesh) const {
    return positions.empty() ? mesh.device_count() : static_cast<int64_t>(positions.size());
  }
  /// The position of its `index`-th rank.
  int64_t position(int64_t index) const { return positions.empty() ? index : positions[static_cast<size_t>(index)]; }
};

/// Who does what in which order: the form that simulation, verification and execution consume (docs/spec/plan.md).
struct Plan {
  std::shared_ptr<const Mesh> mesh;
  std::string program;
  std::vector<Global> globals;
  std::vector<Output> outputs;  ///< results, then updates of globals: names and whole types; parts are StoreBlocks
  PlanValueList values;
  InstructionList instructions;
  std::vector<Communicator> communicators;
  std::vector<RankGroup> groups;
  PlanActionList actions;  ///< of pipelines
  std::vector<PlanCall> calls;

  [[gnu::always_inline]] Instruction instruction(InstructionId id) const { return instructions[id.index()]; }
  PlanAction action(ActionId id) const { return actions[id.index()]; }
  [[gnu::always_inline]] PlanValue value(PlanValueId id) const { return values[id.index()]; }
};

}  // namespace isoshard
