#include "bench/table/measure/engine_rates.h"

#include <sys/resource.h>

#include <stdexcept>
#include <string>

#include "bench/table/measure/alternating.h"
#include "bench/table/measure/numbers.h"
#include "bench/table/measure/peers.h"
#include "bench/table/measure/plan_runs.h"

namespace isoshard::bench {
namespace {

constexpr std::int64_t kKibibyte = 1024;

double peak_kilobytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss);
}

TimeOf time_of(int workers) { return workers == 1 ? TimeOf::thread : TimeOf::wall; }

/// Seconds of one of `rounds` collectives.
double collective_seconds(const Planned& planned, std::int64_t rounds, int workers) {
  return least_seconds(time_of(workers), {[&] { run_plan(planned, workers); }})[0] / static_cast<double>(rounds);
}

}  // namespace

Measured instruction_cost(std::int64_t devices, int workers, Order order) {
  const Planned planned = small_ops(devices, true);
  const auto seed = order == Order::drawn ? std::optional<uint64_t>(1) : std::nullopt;
  const double seconds = least_seconds(time_of(workers), {[&] { run_plan(planned, workers, seed); }})[0];
  const double each = 1e6 * seconds * workers / static_cast<double>(2 * kSmallOpRounds * devices);
  return {each,
          0,
          time_words(seconds) + " for " + std::to_string(2 * kSmallOpRounds * devices) + " instructions",
          {{"run_s", seconds}}};
}

Measured idle_device(std::int64_t devices) {
  constexpr std::int64_t kFew = 8;
  run_plan(small_ops(kFew, true), 1);
  const double before = peak_kilobytes();
  run_plan(small_ops(devices, true), 1);
  const double more = peak_kilobytes() - before;
  // The pages that the few have freed may do for some more.
  if (more <= 0) throw std::runtime_error("not measured: the peak of " + std::to_string(kFew) + " devices holds them");
  return {more / static_cast<double>(devices - kFew),
          0,
          digits(more) + " KB for " + std::to_string(devices - kFew) + " more devices, their Plan included",
          {{"more_KB", more}}};
}

Measured collective_cost(AppendCollective append, std::int64_t devices, std::int64_t bytes) {
  constexpr std::int64_t kRounds = 64;
  const double seconds = collective_seconds(collective_rounds(devices, bytes / 4, kRounds, append), kRounds, 1);
  return {1e6 * seconds, 0, "", {{"own_us", 1e6 * seconds}}};
}

Measured permute_of_large_over_small(std::int64_t devices, std::int64_t bytes) {
  constexpr std::int64_t kRounds = 64;
  const Planned small = collective_rounds(devices, kKibibyte / 4, kRounds, append_permute, Operand::same_array);
  const Planned large = collective_rounds(devices, bytes / 4, kRounds, append_permute, Operand::same_array);
  const std::vector<double> s =
      least_seconds(TimeOf::thread, {[&] { run_plan(large, 1); }, [&] { run_plan(small, 1); }});
  return {s[0] / s[1],
          0,
          time_words(s[0] / kRounds) + " beside " + time_words(s[1] / kRounds) + " for each",
          {{"large_us", 1e6 * s[0] / kRounds}, {"small_us", 1e6 * s[1] / kRounds}}};
}

Measured large_all_reduce(std::int64_t devices, std::int64_t bytes) {
  constexpr std::int64_t kRounds = 2;
  const double seconds =
      collective_seconds(collective_rounds(devices, bytes / 4, kRounds, append_all_reduce), kRounds, 0);
  return beside_peer("jax/all_reduce/16MiB/" + std::to_string(devices), seconds);
}

}  // namespace isoshard::bench
