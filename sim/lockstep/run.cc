// Which way a Plan runs: all devices together where they do the same, otherwise each on its own. A drawn order and
// memory of the caller's are the engine's. Bits are the same either way: values are pure functions of their operands,
// and sums are added in member order.
#include "sim/lockstep/run.h"

#include <optional>
#include <utility>

#include "core/support/check.h"
#include "core/support/result.h"
#include "sim/engine/engine_index.h"
#include "sim/engine/engine_rows.h"
#include "sim/engine/float_environment.h"
#include "sim/engine/run_context.h"
#include "sim/lockstep/lockstep.h"

namespace isoshard::sim {
namespace {

bool has_one_order(const Plan& plan, const RunOptions& options) {
  return !options.interleave_seed && options.memory == nullptr && options.small_work > 0 && may_run_in_step(plan);
}

}  // namespace

Result<RunResult> run(const Plan& plan, const Domain& domain, const std::vector<Value>& globals,
                      const RunOptions& options) {
  ISOSHARD_CHECK(globals.size() == plan.globals.size(), "one value per global");
  if (!has_one_order(plan, options)) return run_on_engine(plan, domain, globals, options);
  {
    const PlanIndex index(plan);
    const DefaultFloatEnvironment environment;
    options.workers.begin_run(plan);
    const BackwardRows backward = is_watched(options) ? BackwardRows() : BackwardRows(plan);
    const RunContext context{plan, index, backward, domain, globals, options};
    if (std::optional<RunResult> result = run_in_step(context, index.worker_count(options))) return std::move(*result);
  }
  return run_on_engine(plan, domain, globals, options);
}

}  // namespace isoshard::sim
