#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan_ids.h"
#include "sim/value/value.h"

namespace isoshard::sim {

/// Where a run keeps what its devices compute, in the place of memory of its own for each value. The calls for one
/// position come one after another, those for several at the same time.
class RunMemory {
 public:
  virtual ~RunMemory() = default;
  /// What is at the place of a value, in these iterations of the loops around it; `kept` is what was made.
  virtual Value read(int64_t position, PlanValueId id, const std::vector<int64_t>& iterations, Value kept) = 0;
  /// An instruction that makes the value begins: its place may be written from now on.
  virtual void begin(int64_t position, PlanValueId id, const std::vector<int64_t>& iterations) = 0;
  virtual void write(int64_t position, PlanValueId id, const std::vector<int64_t>& iterations, const Value& value) = 0;
};

}  // namespace isoshard::sim
