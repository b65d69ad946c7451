// Collectives and permutes as the engine does them: one thread, 8 devices, kRounds in a row. GB is per second of the
// array of each device (the larger of what it gives and what it gets), all devices together; `copy` is memcpy of as
// much.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>

#include "bench/report.h"
#include "bench/small_plans.h"
#include "bench/timed_run.h"

namespace isoshard::bench {
namespace {

constexpr int64_t kDevices = 8, kRounds = 16;

void collective(benchmark::State& state, AppendCollective append) {
  const int64_t bytes = state.range(0);
  run(state, collective_rounds(kDevices, bytes / 4, kRounds, append), 1);
  count_giga(state, "GB", static_cast<double>(kRounds * kDevices * bytes));
  count_each(state, "each", kRounds);
}

void copy(benchmark::State& state) {
  const auto bytes = static_cast<size_t>(state.range(0));
  const std::vector<char> from(bytes * kDevices, 1);
  std::vector<char> to(from.size());
  for (auto _ : state) {
    for (int64_t i = 0; i < kRounds; ++i) {
      std::memcpy(to.data(), from.data(), from.size());
      benchmark::ClobberMemory();
    }
  }
  count_giga(state, "GB", static_cast<double>(kRounds * kDevices * state.range(0)));
  count_each(state, "each", kRounds);
}

void sizes(benchmark::internal::Benchmark* row) {
  row->ArgName("bytes")->Arg(1 << 10)->Arg(64 << 10)->Arg(1 << 20)->Arg(16 << 20);
}

BENCHMARK_CAPTURE(collective, all_reduce, append_all_reduce)->Apply(sizes);
BENCHMARK_CAPTURE(collective, all_gather, append_all_gather)->Apply(sizes);
BENCHMARK_CAPTURE(collective, reduce_scatter, append_reduce_scatter)->Apply(sizes);
BENCHMARK_CAPTURE(collective, collective_permute, append_permute)->Apply(sizes);
BENCHMARK(copy)->ArgName("bytes")->Arg(1 << 20)->Arg(16 << 20);

}  // namespace
}  // namespace isoshard::bench
