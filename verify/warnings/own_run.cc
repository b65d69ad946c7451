#include "verify/warnings/own_run.h"

#include "core/support/result.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/lockstep/run.h"
#include "sim/run/assemble.h"

namespace isoshard::verify {

std::optional<std::vector<Tensor>> run_in_own_dtypes(const Plan& plan, const std::vector<sim::Value>& globals,
                                                     sim::ValueObserver& observer, const sim::Workers& workers) {
  const sim::Domain& domain = sim::float_domain();
  sim::RunOptions options;
  options.workers = workers;
  options.observer = &observer;
  const Result<sim::RunResult> run = sim::run(plan, domain, globals, options);
  if (!run) return std::nullopt;
  std::vector<Tensor> outputs;
  for (size_t o = 0; o < plan.outputs.size(); ++o) {
    outputs.push_back(sim::to_tensor(sim::assemble(plan.outputs[o].type, run->outputs[o]).value, domain));
  }
  return outputs;
}

}  // namespace isoshard::verify
