#pragma once

#include <benchmark/benchmark.h>

#include "bench/gpu/device.h"

namespace isoshard::bench {

/// Times `calls`, which holds `repetitions` of what is measured and moves `bytes` each time.
template <typename Calls>
void measure(::benchmark::State& state, cudaStream_t stream, int repetitions, double bytes, Calls calls) {
  calls();  // modules are loaded at the first launch
  require(cudaStreamSynchronize(stream), "warm-up");
  for (auto _ : state) state.SetIterationTime(seconds_of(stream, calls) / repetitions);
  if (bytes > 0) {
    state.counters["bytes_per_second"] =
        ::benchmark::Counter(bytes * static_cast<double>(state.iterations()), ::benchmark::Counter::kIsRate);
  }
}

/// What the main function of a program of benchmarks does; its exit code.
inline int run_benchmarks(int argc, char** argv) {
  require_device();
  print_device();
  ::benchmark::Initialize(&argc, argv);
  if (::benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  ::benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace isoshard::bench

/// A benchmark that reports times of the device, in five batches.
#define GPU_BENCHMARK(...) BENCHMARK(__VA_ARGS__)->UseManualTime()->Iterations(5)->Unit(::benchmark::kMicrosecond)
