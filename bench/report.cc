#include "bench/report.h"

namespace isoshard::bench {
namespace {

bool row_failed = false;

}  // namespace

void fail(benchmark::State& state, const std::string& message) {
  row_failed = true;
  state.SkipWithError(message.c_str());
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
