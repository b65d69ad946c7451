#include "bench/report.h"

#include <time.h>

#include "sim/run/keep_memory.h"

namespace isoshard::bench {
namespace {

bool failed = false;

}  // namespace

void fail(benchmark::State& state, const std::string& message) {
  failed = true;
  state.SkipWithError(message.c_str());
}

double ShortestOnProcessor::now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void count_giga(benchmark::State& state, const char* unit, double per_iteration) {
  state.counters[unit] = benchmark::Counter(per_iteration * 1e-9, benchmark::Counter::kIsIterationInvariantRate,
                                            benchmark::Counter::kIs1000);
}

void count_each(benchmark::State& state, const char* unit, double per_iteration) {
  using benchmark::Counter;
  state.counters[unit] =
      Counter(per_iteration, static_cast<Counter::Flags>(Counter::kIsIterationInvariantRate | Counter::kInvert),
              Counter::kIs1000);
}

}  // namespace isoshard::bench

/// As BENCHMARK_MAIN, and 1 when a row failed.
int main(int argc, char** argv) {
  isoshard::sim::keep_freed_memory();  // as the command does
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::AddCustomContext("compiler", __VERSION__);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return isoshard::bench::failed ? 1 : 0;
}
