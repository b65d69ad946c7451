#include "sim/run/steps.h"

#include "core/support/check.h"
#include "core/support/result.h"
#include "sim/lockstep/run.h"
#include "sim/run/assemble.h"

namespace isoshard::sim {

std::vector<Value> next_globals(const Plan& plan, std::vector<Value> globals, const RunResult& result) {
  for (size_t o = 0; o < plan.outputs.size(); ++o) {
    const GlobalId global = plan.outputs[o].updates;
    if (global.valid()) globals[global.index()] = assemble(plan.outputs[o].type, result.outputs[o]).value;
  }
  return globals;
}

Result<RunResult> run_steps(const Plan& plan, const Domain& domain, std::vector<Value> globals, int64_t steps,
                            const RunOptions& options, const StepObserver& observer) {
  ISOSHARD_CHECK(steps >= 1, "there is a first step");
  for (int64_t step = 1;; ++step) {
    Result<RunResult> result = run(plan, domain, globals, options);
    if (!result) return result;
    if (observer) observer(step, *result);
    if (step == steps) return result;
    globals = next_globals(plan, std::move(globals), *result);
  }
}

}  // namespace isoshard::sim
