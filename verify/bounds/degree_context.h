#pragma once  // internal

#include <cstdint>
#include <vector>

#include "core/plan/exchanges.h"
#include "verify/bounds/degree.h"

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

}  // namespace isoshard::verify
