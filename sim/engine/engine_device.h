#pragma once  // internal

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sim/engine/engine_index.h"
#include "sim/engine/engine_rows.h"
#include "sim/engine/engine_values.h"
#include "sim/engine/fabric.h"
#include "sim/engine/run_options.h"
#include "sim/engine/stored_block.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {

/// What all devices of a run read; only the fabric changes, and it synchronises itself.
struct RunContext {
  const Plan& plan;
  const PlanIndex& index;
  const BackwardRows& backward;
  const Domain& domain;
  const std::vector<Value>& globals;
  Fabric& fabric;
  const RunOptions& options;
};

/// What one step of a device did.
struct DeviceStep {
  enum class Kind : uint8_t { none, started, finished };
  Kind kind = Kind::none;  ///< none: no queue can go on until a meeting completes
  InstructionId instruction;
  std::optional<CommunicatorId> completed;  ///< this step completed a meeting of the device's group there
};

/// One virtual device: a place in each queue of its current block, the iterations of enclosing loops, and its values.
///
/// Used by one thread at a time; the engine's ready queue hands it over.
class Device {
 public:
  Device(const RunContext& context, int64_t position);

  int64_t position() const { return position_; }
  /// Everything has run.
  bool done() const { return frames_.empty(); }
  /// Runs one instruction of a queue that can go on: the first in issue order, or the `draw`-th (mod their number).
  DeviceStep step(std::optional<uint64_t> draw);
  /// The blocks it stored, with the output they belong to.
  std::vector<std::pair<uint32_t, StoredBlock>>& stored() { return stored_; }

  // For reports, while no device runs.
  size_t queue_count() const { return queues_.size(); }
  /// The instruction that `queue` has not finished yet.
  std::optional<InstructionId> head(size_t queue) const {
    const QueueState& state = queues_[queue];
    if (state.finished == state.instructions.size()) return std::nullopt;
    return state.instructions[state.finished];
  }
  const Ticket* ticket(size_t queue) const { return queues_[queue].ticket ? &*queues_[queue].ticket : nullptr; }
  /// The iterations of the enclosing repeats, innermost last.
  const std::vector<int64_t>& iterations() const { return loops_; }
  /// The first token that the head of `queue` waits for.
  std::optional<InstructionId> unmet_wait(size_t queue) const;

 private:
  struct QueueState {
    std::span<const InstructionId> instructions;
    uint32_t finished = 0;
    std::optional<Ticket> ticket;  ///< the head has arrived at its meeting and not left
  };
  /// A list of blocks being run: the group's, or the body of a repeat.
  struct Frame {
    const std::vector<Block>* blocks;
    size_t index = 0;
    const Repeat* repeat = nullptr;
    std::vector<Value> stacked;    ///< inputs of the repeat
    std::vector<NewValue> stacks;  ///< its outputs, made from the parts of the first iteration
  };

  const Block& block() const { return (*frames_.back().blocks)[frames_.back().index]; }
  bool can_go_on(size_t queue) const;
  std::optional<size_t> choose(std::optional<uint64_t> draw);
  DeviceStep advance(size_t queue);
  void finish(const Instruction& instruction, size_t queue);
  void bind(PlanValueId id, Value value);

  void settle();
  void enter_repeat(const Block& block);
  void start_iteration();
  void end_iteration();
  void stack_parts(Frame& frame);
  void leave_repeat();

  /// `value`, which `instruction` reads or makes, with what the run adds to it here.
  void run(const Instruction& instruction);
  Value put_block(const Value& x, const PutBlock& put) const;
  void run(const LocalOp& local, const Instruction& instruction, const std::vector<Value>& operands);
  Value load(const LoadBlock& op, PlanValueId result) const;
  StoredBlock stored_block(const StoreBlock& op, const Value& value) const;
  std::vector<Value> operands_of(const Instruction& instruction);
  std::optional<CommunicatorId> arrive(const Instruction& instruction, size_t queue);
  Fabric::Arrival arrive_with_message(const Instruction& instruction);
  int64_t evaluate_expr(const Expr& expr) const { return expr.evaluate(*context_.plan.mesh, position_, loops_); }

  const RunContext& context_;
  int64_t position_;
  std::vector<Frame> frames_;   ///< outermost first; empty when done
  std::vector<int64_t> loops_;  ///< iterations of the enclosing repeats, innermost last
  std::vector<QueueState> queues_;
  std::vector<int64_t> sequence_;              ///< collectives started per communicator
  std::map<RendezvousKey, int64_t> messages_;  ///< sent and received so far, by their key with sequence number 0
  std::vector<size_t> ready_;                  ///< scratch of choose()
  LiveValues values_;
  std::vector<std::pair<uint32_t, StoredBlock>> stored_;
};

}  // namespace isoshard::sim
