// Who runs where. A rank for which there is no GPU is an error: two ranks of one GPU take turns, and whoever measures
// that by mistake measures nothing. As a process of its own a rank is what NCCL is meant for; the caller then only
// asks, by a child, how many GPUs there are. As a thread it needs nothing else: each has its device, its streams and
// its communicators, and captures its graph alone; but one that hangs is ended with the whole process
// (docs/adr/0085-threads-on-gpus.md). With the stand-in processes share one with its devices. Cost: forks, and the
// start of the backend in each rank.
#include "exec/start/ranks.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "core/support/counted.h"
#include "exec/run/steps.h"
#include "exec/start/oversubscribe.h"

namespace isoshard::exec {
namespace {

bool is_cuda(const RankSettings& settings) { return settings.device == Device::cuda; }

OpenBackend backend_of(const RankSettings& settings) {
  if (settings.open_backend) return settings.open_backend;
  return [device = settings.device] { return load_backend(device); };
}

Outcome<> check_gpus(const PreparedJob& prepared, const RankSettings& settings) {
  if (!is_oversubscribed(prepared, settings) || settings.oversubscribe) return {};
  return tl::unexpected(Failure{
      Failure::Kind::no_device,
      counted(static_cast<int64_t>(prepared.job->lists.size()), "rank") + " on " +
          counted(prepared.machine.devices, "GPU") +
          ": expected a GPU for each rank, a smaller --mesh, or --oversubscribe, with which timings mean nothing"});
}

Outcome<std::unique_ptr<RankHost>> start_as_threads(const PreparedJob& prepared, const RankSettings& settings) {
  if (is_oversubscribed(prepared, settings)) {
    const std::optional<Environment> environment = environment_of_shared_gpus(prepared.machine.description);
    if (!environment) {
      return tl::unexpected(Failure{Failure::Kind::unsupported,
                                    "several ranks on one GPU as threads: NCCL has that since 2.30, and here is " +
                                        prepared.machine.description + "; expected --launcher processes"});
    }
    for (const auto& [name, value] : *environment) setenv(name.c_str(), value.c_str(), 1);
  }
  return start_threads(prepared.job);
}

Outcome<std::unique_ptr<RankHost>> start_as_processes(const PreparedJob& prepared, const RankSettings& settings) {
  const bool shared = is_oversubscribed(prepared, settings);
  const auto environment = [&](size_t rank) {
    return shared ? oversubscribed_environment(prepared.machine.description, rank) : Environment();
  };
  if (is_cuda(settings)) return start_processes(prepared.job, environment);
  Outcome<std::unique_ptr<SharedDevices>> devices = SharedDevices::share(settings.device);
  if (!devices) return tl::unexpected(devices.error());
  return start_processes(prepared.job, environment, std::move(*devices));
}

}  // namespace

Outcome<Machine> find_machine(const RankSettings& settings, int64_t ranks) {
  if (is_cuda(settings)) return probe_machine(backend_of(settings), settings.options.deadline);
  setenv("STANDIN_DEVICES", std::to_string(ranks).c_str(), 0);  // memory of the host is no limit
  return ask_machine(backend_of(settings));
}

void place(Job& job, size_t rank, int device, const Machine& machine) {
  job.devices.resize(std::max(job.devices.size(), rank + 1));
  job.bus_ids.resize(job.devices.size());
  job.devices[rank] = device;
  job.bus_ids[rank] = machine.bus_ids[static_cast<size_t>(device)];
}

Outcome<PreparedJob> prepare_job(const Plan& plan, std::vector<calls::CallList> lists, const RankSettings& settings) {
  Outcome<Machine> machine = find_machine(settings, static_cast<int64_t>(lists.size()));
  if (!machine) return tl::unexpected(machine.error());
  auto job = std::make_shared<Job>();
  job->open_backend = backend_of(settings);
  job->options = settings.options;
  for (size_t rank = 0; rank < lists.size(); ++rank) {
    place(*job, rank, static_cast<int>(rank % static_cast<size_t>(machine->devices)), *machine);
  }
  Outcome<std::shared_ptr<Desk>> desk = Desk::make(plan, lists);
  if (!desk) return tl::unexpected(desk.error());
  job->desk = std::move(*desk);
  job->lists = std::move(lists);
  job->updated = updated_globals(plan);
  return PreparedJob{std::move(job), std::move(*machine)};
}

bool is_oversubscribed(const PreparedJob& prepared, const RankSettings& settings) {
  return is_cuda(settings) && prepared.job->lists.size() > static_cast<size_t>(prepared.machine.devices);
}

Outcome<std::unique_ptr<RankHost>> start_ranks(const PreparedJob& prepared, const RankSettings& settings) {
  if (const Outcome<> enough = check_gpus(prepared, settings); !enough) return tl::unexpected(enough.error());
  return settings.threads ? start_as_threads(prepared, settings) : start_as_processes(prepared, settings);
}

}  // namespace isoshard::exec
