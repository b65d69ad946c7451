// What becomes of a pipeline by the number of its instructions: lowering, and what is decided of a Plan without values,
// its buffers planned for the races.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdint>
#include <optional>
#include <string>

#include "bench/planned.h"
#include "bench/report.h"
#include "core/plan/passes/lower.h"
#include "core/support/diagnostic.h"
#include "core/support/result.h"
#include "core/text/text.h"
#include "verify/deadlock/deadlock.h"
#include "verify/race/decide_races.h"

namespace isoshard::bench {
namespace {

/// examples/pipeline_1f1b.shard with so many stages and micro-batches; empty where it does not parse.
std::optional<Module> pipeline(int64_t stages, int64_t microbatches) {
  DiagnosticSink sink;
  const auto source = text::read_source(std::string(ISOSHARD_EXAMPLES) + "/pipeline_1f1b.shard");
  if (!source) return std::nullopt;
  text::ElaborateOptions options;
  options.mesh_sizes.push_back({"pp", stages});
  options.settings.push_back({"micro", std::to_string(microbatches)});
  options.settings.push_back({"b", std::to_string(2 * microbatches)});
  return text::parse_module(*source, options, sink);
}

void count(benchmark::State& state, const Plan& plan) {
  state.counters["instructions"] = static_cast<double>(plan.instructions.size());
}

/// Bytes that the process has allocated.
double allocated() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

void lower_pipeline(benchmark::State& state) {
  const std::optional<Module> module = pipeline(state.range(0), state.range(1));
  if (!module) return fail(state, "cannot parse the example");
  Shortest shortest;
  for (auto _ : state) {
    const double before = allocated();
    shortest.start();
    const Plan plan = lower(*module, module->checks.front().left);
    shortest.stop();
    count(state, plan);
    state.counters["bytes_each"] = (allocated() - before) / static_cast<double>(plan.instructions.size());
  }
  shortest.show(state);
}

/// `decide(plan)` reports that there is none.
template <class Decide>
void decide_order(benchmark::State& state, const Decide& decide) {
  const std::optional<Module> module = pipeline(state.range(0), state.range(1));
  if (!module) return fail(state, "cannot parse the example");
  const Plan plan = lower(*module, module->checks.front().left);
  Shortest shortest;
  for (auto _ : state) {
    shortest.start();
    const auto report = decide(plan);
    shortest.stop();
    if (!report.none()) return fail(state, report.words());
  }
  count(state, plan);
  shortest.show(state);
}

void decide_deadlock(benchmark::State& state) { decide_order(state, verify::decide_deadlock); }
void decide_races(benchmark::State& state) { decide_order(state, verify::decide_races); }

void sizes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"stages", "microbatches"})->UseRealTime()->Unit(benchmark::kMillisecond);
  b->Args({8, 48})->Args({32, 120});
}
BENCHMARK(lower_pipeline)->Apply(sizes)->Args({64, 600});
BENCHMARK(decide_deadlock)->Apply(sizes)->Args({64, 600});
BENCHMARK(decide_races)->Apply(sizes)->Args({64, 600});

}  // namespace
}  // namespace isoshard::bench
