#pragma once  // internal

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/plan/plan.h"
#include "core/text/plan/print/plan_calls.h"
#include "core/text/plan/print/unique_names.h"

namespace isoshard::text {

/// What the things of a Plan are called in its text. The plan must outlive it.
class PlanNames {
 public:
  /// Values of calls have the name of the call, a dot, and that of the function.
  PlanNames(const Plan& plan, const PlanCalls& calls);

  /// Without `%`: words joined by dots, unique in its group. Only of values that an instruction or a loop defines.
  const std::string& value(PlanValueId id) const { return values_[id.index()]; }
  const std::string& queue(QueueId id) const { return queues_[id.index()]; }
  const std::vector<std::string>& queues() const { return queues_; }
  /// Of the call that is the `line`-th of those of the Plan.
  const std::string& call(size_t line) const { return calls_[line]; }

 private:
  void add_call(const Plan& plan, const PlanCalls& calls, size_t line, UniqueNames& names);
  void add_queues(const std::vector<isoshard::Block>& blocks, UniqueNames& names);

  std::vector<std::string> values_;  ///< by id; empty: defined nowhere
  std::vector<std::string> queues_;
  std::vector<std::string> calls_;
};

}  // namespace isoshard::text
