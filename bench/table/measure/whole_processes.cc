#include "bench/table/measure/whole_processes.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench/process.h"
#include "bench/table/measure/alternating.h"
#include "bench/table/measure/numbers.h"

namespace isoshard::bench {
namespace {

struct Timed {
  double seconds = std::numeric_limits<double>::infinity();
  double cpu_seconds = 0, megabytes = 0;
  double total = 0;  ///< of all runs
};

/// Runs it once more.
void run_again(const Command& command, Timed& timed) {
  ProcessRun run;
  const double seconds = seconds_once(TimeOf::wall, [&] { run = run_process(isoshard_binary(), command.arguments); });
  if (run.exit_code != command.exit_code) {
    std::string words;
    for (const std::string& argument : command.arguments) words += " " + argument;
    throw std::runtime_error("not supported: isoshard" + words + " ends with exit code " +
                             std::to_string(run.exit_code) + ", expected " + std::to_string(command.exit_code));
  }
  if (seconds < timed.seconds) timed.cpu_seconds = run.cpu_seconds;
  timed.seconds = std::min(timed.seconds, seconds);
  timed.megabytes = std::max(timed.megabytes, run.peak_megabytes);
  timed.total += seconds;
}

/// By turns, until 15 runs or two seconds.
std::vector<Timed> best_of_several(const std::vector<Command>& commands) {
  constexpr int kRuns = 15;
  constexpr double kEnough = 2;  // seconds
  std::vector<Timed> all(commands.size());
  double total = 0;
  for (int turn = 0; turn < kRuns && total < kEnough; ++turn) {
    total = 0;
    for (size_t i = 0; i < commands.size(); ++i) {
      run_again(commands[i], all[i]);
      total += all[i].total;
    }
  }
  return all;
}

}  // namespace

Measured process_time(const Command& command, double unit) {
  const Timed timed = best_of_several({command})[0];
  return {timed.seconds * unit,
          timed.megabytes,
          time_words(timed.cpu_seconds) + " of CPU",
          {{"own_s", timed.seconds}, {"cpu_s", timed.cpu_seconds}}};
}

Measured process_over_process(const Command& command, const Command& measure) {
  const std::vector<Timed> timed = best_of_several({command, measure});
  return {timed[0].seconds / timed[1].seconds,
          timed[0].megabytes,
          time_words(timed[0].seconds) + " beside " + time_words(timed[1].seconds),
          {{"own_s", timed[0].seconds}, {"measure_s", timed[1].seconds}}};
}

Measured corpus_time(int count) {
  const std::string folder = std::string(ISOSHARD_SOURCE) + "/tests/data/stablehlo/";
  std::ifstream file(folder + "verdicts.json");
  const nlohmann::json verdicts = nlohmann::json::parse(file);
  Timed all{0, 0, 0, 0};
  int done = 0;
  for (const auto& [name, facts] : verdicts.items()) {
    if (done == count) break;
    const std::string pair = folder + "cases/" + name;
    Timed timed;
    run_again(
        {{"check", "-q", pair + "/sharded.mlir", pair + "/reference.mlir"}, facts.at("verdict") == "equal" ? 0 : 1},
        timed);
    all.seconds += timed.seconds;
    all.cpu_seconds += timed.cpu_seconds;
    all.megabytes = std::max(all.megabytes, timed.megabytes);
    ++done;
  }
  return {all.seconds,
          all.megabytes,
          std::to_string(done) + " pairs, " + time_words(all.cpu_seconds) + " of CPU",
          {{"own_s", all.seconds}, {"cpu_s", all.cpu_seconds}}};
}

}  // namespace isoshard::bench
