#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/ir/expr.h"
#include "core/ir/module.h"

namespace isoshard {

using PlanValueId = Id<struct PlanValueTag>;
using InstructionId = Id<struct InstructionTag>;
using CommunicatorId = Id<struct CommunicatorTag>;
using QueueId = Id<struct QueueTag>;

/// One SSA value of a Plan; every rank of the group holds its own.
struct PlanValue {
  TensorType type;
  std::string name;
};

/// A set of groups of devices that communicate: one per axis tuple in use, permutes apart by direction so that they
/// overlap. It belongs to exactly one queue; the k-th collective that a device starts on it has sequence number k.
struct Communicator {
  Group group;
  QueueId queue;
};

// What an instruction does. Local ops keep their IR payload; everything that depends on the rank is an Expr.

/// Reads one block of a global: block[d] of count[d] along each of its dimensions, in blocks of ceil(size / count).
/// Elements beyond the end of the global are padding, whose values mean nothing (sim draws poison). The result has the
/// block's elements under a shape that may leave out dimensions of size 1.
struct LoadBlock {
  GlobalId global;
  std::vector<Expr> block;
  std::vector<int64_t> count;
  Shape start{};  ///< the part of the block that is read, per dimension of the global; empty: all of it
  Shape size{};   ///< its sizes; empty with `start`
};
/// Writes a value as one block of output `output`, which may be a global's next-step value. It is cut like that of
/// LoadBlock; padding is not written.
struct StoreBlock {
  uint32_t output = 0;
  std::vector<Expr> block;
  std::vector<int64_t> count;
};
struct LocalOp {  ///< an op that every rank computes alike on its own values
  OpData op;
};
struct ScalarIndex {  ///< an i32 scalar with the value of `value`
  Expr value;
};
struct TakeBlock {  ///< block `block` of `count` along `dim`
  int64_t dim = 0;
  Expr block;
  int64_t count = 1;
};
struct PutBlock {  ///< the operand as block `block` of `count` along `dim`, zeros elsewhere
  int64_t dim = 0;
  Expr block;
  int64_t count = 1;
};
struct KeepOn {  ///< the operand where `index` equals `owner`, zeros elsewhere
  Expr index;
  int64_t owner = 0;
};
enum class CollectiveKind : uint8_t {
  all_reduce,  ///< the sum
  all_reduce_max,
  all_reduce_min,
  all_gather,
  reduce_scatter,
  all_to_all,
  assert_equal,  ///< members bring the same value, which each keeps; a difference fails the run (D-assert)
};
struct Collective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  CommunicatorId communicator;
  int64_t dim = 0;         ///< that grows (all_gather) or is split (reduce_scatter, all_to_all)
  int64_t concat_dim = 0;  ///< of all_to_all: that grows
};
/// Sends to member `target` of the communicator's group and receives from member `source`; -1 is nobody (zeros arrive).
/// All members of the group take part in the rendezvous.
struct Permute {
  CommunicatorId communicator;
  Expr target;
  Expr source;
};

using InstructionData =
    std::variant<LoadBlock, StoreBlock, LocalOp, ScalarIndex, TakeBlock, PutBlock, KeepOn, Collective, Permute>;

struct Instruction {
  InstructionData data;
  std::vector<PlanValueId> operands;
  std::vector<PlanValueId> results;
  /// Instructions on other queues of the same block that must have finished first (tokens).
  std::vector<InstructionId> waits;
  /// Values that nothing reads once this instruction has finished: operands in most cases, a result that nobody reads,
  /// or a value whose uses on several queues are all ordered before this instruction. Yields are never listed.
  std::vector<PlanValueId> last_uses;
  Location location;
  std::string op;  ///< the IR op it came from, for messages
};

/// An in-order queue: `compute` (always QueueId 0), or one communicator. Instruction ids ascend along a queue; over all
/// queues of a block they are the one issue order in which every rank launches.
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
};

/// Either queues that run side by side until all are done, or a loop; blocks run one after another.
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
};

/// Who does what in which order: the form that simulation, verification and execution consume (design 5).
struct Plan {
  std::shared_ptr<const Mesh> mesh;
  std::string program;
  std::vector<Global> globals;
  std::vector<Output> outputs;  ///< results, then updates of globals: names and whole types; parts are StoreBlocks
  std::vector<PlanValue> values;
  std::vector<Instruction> instructions;
  std::vector<Communicator> communicators;
  std::vector<RankGroup> groups;

  const Instruction& instruction(InstructionId id) const { return instructions[id.index()]; }
  const PlanValue& value(PlanValueId id) const { return values[id.index()]; }
};

}  // namespace isoshard
