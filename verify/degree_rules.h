#pragma once

#include <vector>

#include "core/plan/exchanges.h"
#include "verify/degree.h"

namespace isoshard::verify {

/// What is known while the instructions of a Plan are walked in order.
struct DegreeContext {
  const Plan& plan;
  std::vector<Degree> values;  ///< per PlanValueId
  DegreeCounts counts;
  const Exchanges& exchanges;
  double devices = 1;      ///< of the group that is walked
  bool integers = false;   ///< those that depend on inputs stand for all their values
  uint64_t iteration = 0;  ///< tells steps and the iterations of the enclosing loops apart
};

/// The degree of the results of `instruction`, neither a LoadBlock nor a StoreBlock, from those of its operands
/// (docs/spec/error_bound.md, "Degrees"); what opaque functions are applied to is added to the counts.
Degree degree_of(const Instruction& instruction, InstructionId id, DegreeContext& context);

/// The degree of an opaque function of `argument`, a result of `instruction`, which is added to the counts.
Degree opaque_result(const Degree& argument, const Instruction& instruction, DegreeContext& context);

}  // namespace isoshard::verify
