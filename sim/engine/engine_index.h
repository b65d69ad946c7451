#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "core/plan/plan.h"
#include "sim/engine/engine_scope.h"
#include "sim/engine/run_options.h"

namespace isoshard::sim {

/// What the engine looks up about a Plan, made once per run. The Plan must outlive it.
class PlanIndex {
 public:
  explicit PlanIndex(const Plan& plan);
  PlanIndex(const PlanIndex&) = delete;
  PlanIndex& operator=(const PlanIndex&) = delete;

  /// As the Plan has it, read from its tables once for all devices.
  const Instruction& instruction(InstructionId id) const { return instructions_[id.index()]; }
  const TensorType& type(PlanValueId id) const { return *types_[id.index()]; }
  const InstructionPlace& place(InstructionId id) const { return places_[id.index()]; }
  /// The blocks of a position, or null when the Plan gives it nothing to do.
  const Scope* root(int64_t position) const { return roots_[static_cast<size_t>(position)]; }
  /// How often an instance of the value is read, by instructions and by loops.
  uint32_t reads(PlanValueId id) const { return reads_[id.index()]; }
  bool is_read_by_loops(PlanValueId id) const { return read_by_loops_[id.index()]; }
  /// By what loops; there is one.
  const std::vector<LoopUse>& loop_uses(PlanValueId id) const { return loop_uses_.at(id); }
  /// About how many scalar operations the instruction takes on one device.
  double work(InstructionId id) const { return works_[id.index()]; }
  /// About how many a run takes, all devices together.
  double work() const { return work_; }
  /// The same of the instruction that takes most, on one device and once.
  double largest_work() const { return largest_work_; }
  /// How many threads a run is worth: one where it is small, otherwise those that its options allow.
  size_t worker_count(const RunOptions& options) const;

 private:
  const Scope* add(const Plan& plan, Scope scope, size_t queues, double repetitions);
  void add_queues(const Plan& plan, const Scope& scope, size_t block, double repetitions);
  void add_repeat(const Scope& body);
  void add_uses(const std::vector<PlanValueId>& ids, LoopUse::Kind kind, const Scope& body);

  std::vector<Instruction> instructions_;
  std::vector<const TensorType*> types_;
  std::deque<Scope> scopes_;
  std::vector<InstructionPlace> places_;
  std::vector<const Scope*> roots_;
  std::vector<uint32_t> reads_;
  std::vector<bool> read_by_loops_;
  std::vector<double> works_;
  std::unordered_map<PlanValueId, std::vector<LoopUse>> loop_uses_;
  double work_ = 0;
  double largest_work_ = 0;
};

}  // namespace isoshard::sim
