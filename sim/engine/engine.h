#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.h"
#include "core/support/result_fwd.h"
#include "sim/domains/domain.h"
#include "sim/engine/run_options.h"
#include "sim/engine/stored_block.h"

namespace isoshard::sim {

struct RunResult {
  std::vector<std::vector<StoredBlock>> outputs;  ///< per Plan output, ordered by position
  uint64_t order_digest = 0;  ///< a hash of the order in which instructions ran, to tell interleavings apart
};

/// Like run() of sim/lockstep/run.h, for any Plan and options: each device goes its own way.
Result<RunResult> run_on_engine(const Plan& plan, const Domain& domain, const std::vector<Value>& globals,
                                const RunOptions& options = {});

}  // namespace isoshard::sim
