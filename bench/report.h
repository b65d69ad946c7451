#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>

namespace isoshard::bench {

/// Ends a row with an error and makes the program exit with 1: a benchmark of something that does not work is a
/// failure.
void fail(benchmark::State& state, const std::string& message);
/// Whether any row has ended so.
bool any_failed();

/// The shortest of many repetitions: what a shared machine disturbs least. Shown as the counter `best`, in seconds.
class Shortest {
 public:
  void start() { start_ = Clock::now(); }
  void stop() {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    if (seconds < seconds_) seconds_ = seconds;
  }
  void show(benchmark::State& state) const { state.counters["best"] = seconds_; }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point start_;
  double seconds_ = std::numeric_limits<double>::infinity();
};

/// The same in time of this thread on a processor, which excludes that of others.
class ShortestOnProcessor {
 public:
  void start() { start_ = now(); }
  void stop() { seconds_ = std::min(seconds_, now() - start_); }
  double seconds() const { return seconds_; }

 private:
  static double now();

  double start_ = 0;
  double seconds_ = std::numeric_limits<double>::infinity();
};

/// Shows `per_iteration` times 10^-9 per second as the counter `unit`.
void count_giga(benchmark::State& state, const char* unit, double per_iteration);

/// Shows the time of one of `per_iteration` things, in seconds, as the counter `unit`.
void count_each(benchmark::State& state, const char* unit, double per_iteration);

}  // namespace isoshard::bench
