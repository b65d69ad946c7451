// What ranks are told, be they started here or by a launcher. Cost: the start of CUDA in a child, to ask for its GPUs.
#include "apps/isoshard/commands/run_job.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/plan/calls/print_calls.h"
#include "exec/run/steps.h"

namespace isoshard::app {

exec::Device device_of(const Settings& settings) {
  return settings.device == "cuda" ? exec::Device::cuda : exec::Device::cpu_standin;
}

bool makes_graph(const Settings& settings) {
  if (settings.graph != "auto") return settings.graph == "on";
  constexpr int64_t kStepsThatPay = 8;
  return settings.steps * settings.repeat >= kStepsThatPay;
}

void place(exec::Job& job, size_t rank, int device, const exec::Machine& machine) {
  job.devices.resize(std::max(job.devices.size(), rank + 1));
  job.bus_ids.resize(job.devices.size());
  job.devices[rank] = device;
  job.bus_ids[rank] = machine.bus_ids[static_cast<size_t>(device)];
}

exec::Outcome<RunJob> make_job(const Plan& plan, std::vector<calls::CallList> lists, const exec::KnownAlgorithms& known,
                               const Settings& settings) {
  const bool is_cuda = settings.device == "cuda";
  auto job = std::make_shared<exec::Job>();
  job->open_backend = [device = device_of(settings)] { return exec::load_backend(device); };
  if (!is_cuda) setenv("STANDIN_DEVICES", std::to_string(lists.size()).c_str(), 0);  // memory of the host is no limit
  job->options.deadline = static_cast<double>(settings.deadline);
  job->options.graph = makes_graph(settings);
  job->options.record = settings.check;
  job->options.algorithms = known;
  // A copy, for a rank that outlives the run.
  job->describe = [own = std::make_shared<const Plan>(plan)](const calls::Call& call) {
    return calls::origin_text(call, *own);
  };
  exec::Outcome<exec::Machine> machine =
      is_cuda ? exec::probe_machine(job->open_backend, job->options.deadline) : exec::ask_machine(job->open_backend);
  if (!machine) return tl::unexpected(machine.error());
  for (size_t rank = 0; rank < lists.size(); ++rank) {
    place(*job, rank, static_cast<int>(rank % static_cast<size_t>(machine->devices)), *machine);
  }
  exec::Outcome<std::shared_ptr<exec::Desk>> desk = exec::Desk::make(plan, lists);
  if (!desk) return tl::unexpected(desk.error());
  job->desk = std::move(*desk);
  job->lists = std::move(lists);
  job->updated = exec::updated_globals(plan);
  return RunJob{std::move(job), std::move(*machine)};
}

}  // namespace isoshard::app
