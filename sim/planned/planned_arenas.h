#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/memory/memory_places.h"
#include "core/plan/memory/memory_plan.h"
#include "core/plan/plan.h"
#include "sim/domains/domain.h"
#include "sim/engine/run_memory.h"

namespace isoshard::sim {

/// The arenas of all devices together.
int64_t arena_bytes(const Plan& plan, const MemoryPlan& memory);

/// One arena per device, laid out by a memory plan, in which the arithmetic of a run takes place (`sim --planned`).
///
/// Values lie there as the bytes that a GPU has, in row-major order. A place is poisoned when an instruction that makes
/// its value begins, in the case of a collective long before it ends, so that whoever reads too early or too late finds
/// something else. Plan, memory and domain must outlive it; values of the domain must have the format of their dtype.
class PlannedArenas final : public RunMemory {
 public:
  PlannedArenas(const Plan& plan, const MemoryPlan& memory, const Domain& domain);

  Value read(int64_t position, PlanValueId id, const std::vector<int64_t>& iterations, Value kept) override;
  void begin(int64_t position, PlanValueId id, const std::vector<int64_t>& iterations) override;
  void write(int64_t position, PlanValueId id, const std::vector<int64_t>& iterations, const Value& value) override;

  /// Poisons everything, as before the first step.
  void poison();

 private:
  std::byte* place(int64_t position, PlanValueId id, const std::vector<int64_t>& iterations);

  const Plan& plan_;
  const MemoryPlan& memory_;
  const Domain& domain_;
  MemoryPlaces places_;
  std::vector<std::vector<std::byte>> arenas_;  ///< by position
};

}  // namespace isoshard::sim
