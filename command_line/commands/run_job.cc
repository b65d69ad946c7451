// What ranks are told, be they started here or by a launcher. Cost: a copy of the Plan, and what exec/start takes.
#include "command_line/commands/run_job.h"

#include <memory>
#include <string>
#include <utility>

#include "core/plan/calls/print_calls.h"

namespace isoshard::command_line {

exec::Device device_of(const Settings& settings) {
  return settings.device == "cuda" ? exec::Device::cuda : exec::Device::cpu_standin;
}

bool makes_graph(const Settings& settings) {
  if (settings.graph != "auto") return settings.graph == "on";
  constexpr int64_t kStepsThatPay = 8;
  return settings.steps * settings.repeat >= kStepsThatPay;
}

exec::RankSettings rank_settings(const Settings& settings, const exec::KnownAlgorithms& known) {
  exec::RankSettings ranks;
  ranks.device = device_of(settings);
  const char* const usual = ranks.device == exec::Device::cuda ? "processes" : "threads";
  ranks.threads = (settings.launcher.empty() ? usual : settings.launcher) == "threads";
  ranks.oversubscribe = settings.oversubscribe;
  ranks.options.deadline = static_cast<double>(settings.deadline);
  ranks.options.graph = makes_graph(settings);
  ranks.options.record = settings.check;
  ranks.options.algorithms = known;
  return ranks;
}

exec::Outcome<exec::PreparedJob> make_job(const Plan& plan, std::vector<calls::CallList> lists,
                                          const exec::RankSettings& settings) {
  exec::Outcome<exec::PreparedJob> prepared = exec::prepare_job(plan, std::move(lists), settings);
  if (!prepared) return prepared;
  // A copy, for a rank that outlives the run.
  prepared->job->describe = [own = std::make_shared<const Plan>(plan)](const calls::Call& call) {
    return calls::origin_text(call, *own);
  };
  return prepared;
}

}  // namespace isoshard::command_line
