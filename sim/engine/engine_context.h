#pragma once  // internal

#include <vector>

#include "core/plan/plan.h"
#include "sim/domains/domain.h"
#include "sim/engine/engine_index.h"
#include "sim/engine/engine_rows.h"
#include "sim/engine/fabric.h"
#include "sim/engine/run_options.h"

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

}  // namespace isoshard::sim
