#pragma once

#include <vector>

#include "core/plan/plan.h"
#include "sim/domains/domain.h"
#include "sim/engine/engine_index.h"
#include "sim/engine/engine_rows.h"
#include "sim/engine/run_options.h"

namespace isoshard::sim {

/// What all devices of a run read.
struct RunContext {
  const Plan& plan;
  const PlanIndex& index;
  const BackwardRows& backward;
  const Domain& domain;
  const std::vector<Value>& globals;
  const RunOptions& options;
};

/// A device of a run, and where it is in its loops.
struct Whereabouts {
  const Mesh& mesh;
  int64_t position;
  const std::vector<int64_t>& iterations;  ///< of the repeats around it, innermost last

  int64_t value_of(const Expr& expr) const { return expr.evaluate(mesh, position, iterations); }
};

}  // namespace isoshard::sim
