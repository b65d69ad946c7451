#pragma once  // internal

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::text {

/// Names that are words of the text and no two of them equal; those that are so already stay.
class UniqueNames {
 public:
  /// `wanted` if nobody has it, otherwise with `between` and a number behind it.
  std::string add(const std::string& wanted, const char* between);

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int64_t> next_;  ///< the number to try, by name
};

/// What the things of a Plan are called in its text. The plan must outlive it.
class PlanNames {
 public:
  explicit PlanNames(const Plan& plan);

  /// Without `%`: words joined by dots, unique in its group. Only of values that an instruction or a loop defines.
  const std::string& value(PlanValueId id) const { return values_[id.index()]; }
  const std::string& queue(QueueId id) const { return queues_[id.index()]; }
  size_t queue_count() const { return queues_.size(); }

 private:
  void add_values(const Plan& plan, const std::vector<isoshard::Block>& blocks, UniqueNames& names);
  void add_queues(const std::vector<isoshard::Block>& blocks, UniqueNames& names);

  std::vector<std::string> values_;  ///< by id; empty: defined nowhere
  std::vector<std::string> queues_;
};

/// A name of a group or queue as it is written: as it is, or without signs that the text cannot have.
std::string plain_name(const std::string& name);

}  // namespace isoshard::text
