#pragma once  // internal

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/plan/order/issue_order.h"
#include "core/support/check.h"
#include "sim/engine/engine.h"
#include "sim/engine/run_context.h"
#include "sim/lockstep/crew.h"
#include "sim/lockstep/meetings.h"
#include "sim/lockstep/rows.h"

namespace isoshard::sim {

/// A run of a Plan in step, once.
class Lockstep {
 public:
  Lockstep(const RunContext& context, size_t workers)
      : context_(context),
        devices_(static_cast<size_t>(context.plan.mesh->device_count())),
        partitions_(devices_),
        meetings_(context.plan, partitions_),
        rows_(context, partitions_),
        crew_(workers) {
    result_.outputs.resize(context.plan.outputs.size());
  }

  /// Nothing where the devices do not go on together.
  std::optional<RunResult> run();

 private:
  // Each of these is false where the devices do not go on together.
  bool run(const std::vector<Block>& blocks);
  bool run(const Repeat& repeat);
  bool run_iteration(const Repeat& repeat, int64_t iteration, std::vector<Row>& carried);
  bool run(const Instruction& instruction);

  void run(const LocalOp& local, const Instruction& instruction);
  void run(const LoadBlock& load, const Instruction& instruction);
  void run(const StoreBlock& store, const Instruction& instruction);
  void run(const ScalarIndex& index, const Instruction& instruction);
  void run(const TakeBlock& take, const Instruction& instruction);
  void run(const PutBlock& put, const Instruction& instruction);
  void run(const KeepOn& keep, const Instruction& instruction);
  void run(const Collective& collective, const Instruction& instruction);
  void run(const Permute& permute, const Instruction& instruction);
  void run(const Send& /*send*/, const Instruction& /*instruction*/) { one_side_only(); }
  void run(const Recv& /*receive*/, const Instruction& /*instruction*/) { one_side_only(); }
  [[noreturn]] static void one_side_only() {
    internal_error("Lockstep", "a message of which one side is here", __FILE__, __LINE__);
  }
  void run_slice(const Repeat& repeat, size_t index, int64_t iteration);

  Row reduced(const Collective& collective, const Row& operand, const Groups& groups, const Meeting& meeting);
  Row joined(const Collective& collective, const Row& operand, const Groups& groups, const Meeting& meeting);
  bool all_equal(const Row& operand, const Groups& groups, const Meeting& meeting) const;

  /// A row with the value that `make` returns for the first device of each class, which takes about `work`.
  template <class Make>
  Row made(const Partition& classes, double work, const Make& make) {
    Row result{&classes, std::vector<Value>(classes.count())};
    crew_.each(classes.count(), work, [&](size_t begin, size_t end) {
      for (size_t c = begin; c < end; ++c) {
        context_.options.workers.go_on(0);
        result.values[c] = make(classes.first[c]);
      }
    });
    return result;
  }
  template <class Make>
  Row made(const Partition& classes, const Make& make) {
    return made(classes, context_.index.work(running_), make);
  }
  Whereabouts at(size_t device) const { return {*context_.plan.mesh, static_cast<int64_t>(device), iterations_}; }
  /// By device.
  std::vector<int64_t> numbers(const Expr& expr);
  /// Devices of a class for which the expression has the same value.
  const Partition& split_by(const Partition& classes, const Expr& expr, const std::vector<int64_t>& numbers);
  /// The position of a peer of each device; -1: nobody.
  std::vector<int64_t> peers(const Communicator& over, const Expr& expr);
  const std::vector<Issued>& in_order(const Block& block);
  void let_go(PlanValueId id);

  const RunContext& context_;
  const size_t devices_;
  Partitions partitions_;
  Meetings meetings_;
  Rows rows_;
  std::vector<int64_t> iterations_;  ///< of the loops around what is being run, innermost last
  std::unordered_map<const Block*, std::vector<Issued>> orders_;
  std::unordered_map<const Expr*, std::vector<int64_t>> numbers_;
  Crew crew_;
  InstructionId running_;
  bool together_ = true;  ///< members agreed at what they have exchanged
  RunResult result_;
};

}  // namespace isoshard::sim
