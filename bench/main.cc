#include <benchmark/benchmark.h>

#include "bench/report.h"
#include "sim/run/keep_memory.h"

/// As BENCHMARK_MAIN, and 1 when a row failed.
int main(int argc, char** argv) {
  isoshard::sim::keep_freed_memory();  // as the command does
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::AddCustomContext("compiler", __VERSION__);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return isoshard::bench::any_failed() ? 1 : 0;
}
