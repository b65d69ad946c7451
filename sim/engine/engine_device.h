#pragma once  // internal

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sim/engine/engine_context.h"
#include "sim/engine/engine_cursor.h"
#include "sim/engine/engine_loops.h"
#include "sim/engine/engine_ready.h"
#include "sim/engine/fabric.h"
#include "sim/engine/stored_block.h"

namespace isoshard::sim {

/// What one step of a device did.
struct DeviceStep {
  enum class Kind : uint8_t { none, started, finished };
  Kind kind = Kind::none;  ///< none: no queue can go on until a meeting completes
  InstructionId instruction;
  CommunicatorId completed{};          ///< this step completed a meeting of the device's group there; invalid: none
  std::array<int64_t, 2> met{-1, -1};  ///< positions with which this step completed a message; -1: none
};

/// Lists that a worker lends to the device it runs, so that no step allocates them.
struct StepLists {
  std::vector<size_t> ready;
  std::vector<Value> operands;
};

/// One virtual device: a place in each queue, and its values.
///
/// Used by one thread at a time; the engine's ready queue hands it over.
class Device {
 public:
  Device(const EngineContext& context, int64_t position);

  int64_t position() const { return position_; }
  /// Everything has run.
  bool done() const { return running_ == 0; }
  /// Runs one instruction of a queue that can go on: the first in issue order, or that which the number draws.
  DeviceStep step(const ReadyDevice& ready, StepLists& lists);
  /// The blocks it stored, with the output they belong to.
  std::vector<std::pair<uint32_t, StoredBlock>>& stored() { return stored_; }

  // For reports, while no device runs.
  size_t queue_count() const { return queues_.size(); }
  /// Whether the queue is not at its end.
  bool is_waiting(size_t queue) const { return !queues_[queue].cursor.at_end(); }
  /// The instruction that `queue` has not finished yet; invalid at its end and in front of an iteration. (An optional
  /// would be put together in memory, and what waits for that took a tenth of a run.)
  InstructionId head(size_t queue) const {
    const QueueState& state = queues_[queue];
    return state.finished == state.instructions.size() ? InstructionId() : state.instructions[state.finished];
  }
  /// The meeting that the head of `queue` is in and cannot leave yet, or null.
  const Ticket* ticket(size_t queue) const;
  /// The iterations of the repeats around the head of `queue`, innermost last.
  const std::vector<int64_t>& iterations(size_t queue) const { return queues_[queue].cursor.iterations(); }
  /// What the head of `queue`, which there is, waits for by the first token that is not met; invalid: nothing.
  InstructionId unmet_wait(size_t queue) const;
  /// The queue that has to be done with an earlier iteration before `queue` begins the next one.
  std::optional<size_t> lagging(size_t queue) const;

 private:
  struct QueueState {
    QueueCursor cursor;
    std::span<const InstructionId> instructions{};  ///< of the block; empty: at the end, or before an iteration
    uint32_t finished = 0;
    bool begun = false;              ///< the head has arrived at its meetings and not left
    std::optional<Ticket> sent{};    ///< of what a message sends
    std::optional<Ticket> ticket{};  ///< of what it receives, or of a collective
  };

  bool is_met(size_t queue, const Token& token, bool precedes) const;
  bool can_go_on(size_t queue);
  bool is_before(size_t a, size_t b) const;
  size_t choose(const ReadyDevice& ready);
  DeviceStep advance(size_t queue);
  void finish(size_t queue);
  void settle(size_t queue);
  bool end_iteration(size_t queue);
  void enter(size_t queue, const Scope& body);

  void begin(const PlanValueIds& results);
  void bind(PlanValueId id, Value&& value);
  void run(const Instruction& instruction);
  void run(const LocalOp& local, const Instruction& instruction, const std::vector<Value>& operands);
  std::vector<Value>& operands_of(const Instruction& instruction);
  DeviceStep arrive(const Instruction& instruction);
  CommunicatorId arrive_at_collective(const Instruction& instruction);
  int64_t arrive_with_message(const Instruction& instruction, const Expr* peer, bool sends);
  void leave(const Instruction& instruction);
  int64_t evaluate_expr(const Expr& expr) const { return here().value_of(expr); }
  Whereabouts here() const { return {*context_.plan.mesh, position_, queues_[queue_].cursor.iterations()}; }

  const EngineContext& context_;
  int64_t position_;
  std::vector<QueueState> queues_;
  size_t running_ = 0;             ///< queues that are not at their end
  size_t queue_ = 0;               ///< that is being advanced
  int64_t iteration_ = 0;          ///< of its loops, as one number
  std::vector<int64_t> sequence_;  ///< collectives started per communicator
  /// Received and sent so far, by their key with sequence number 0.
  std::array<std::map<RendezvousKey, int64_t>, 2> messages_;
  StepLists* lists_ = nullptr;  ///< of the step that is being made
  DeviceValues values_;
  std::vector<std::pair<uint32_t, StoredBlock>> stored_;
};

}  // namespace isoshard::sim
