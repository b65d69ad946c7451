#include "bench/timed_run.h"

#include "bench/report.h"
#include "core/support/result.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/lockstep/run.h"

namespace isoshard::bench {

void run(benchmark::State& state, const Planned& planned, int workers) {
  sim::RunOptions options;
  options.workers = workers;
  Shortest shortest;
  for (auto _ : state) {
    shortest.start();
    const Result<sim::RunResult> result = sim::run(planned.plan, sim::float_domain(), planned.globals, options);
    shortest.stop();
    if (!result) return fail(state, result.error().message);
  }
  shortest.show(state);
}

}  // namespace isoshard::bench
