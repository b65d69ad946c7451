#include "bench/report.h"

#include <time.h>

namespace isoshard::bench {
namespace {

bool row_failed = false;

}  // namespace

void fail(benchmark::State& state, const std::string& message) {
  row_failed = true;
  state.SkipWithError(message.c_str());
}

double ShortestOnProcessor::now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

bool any_failed() { return row_failed; }

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
