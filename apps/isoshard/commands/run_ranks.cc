// Who runs where. On GPUs each rank is a process of its own, as NCCL is meant to be used; this process only asks, by a
// child, how many GPUs there are. A rank for which there is no GPU is an error: two ranks of one GPU take turns, and
// whoever measures that by mistake measures nothing. --oversubscribe says that it is meant, and the run says so, too.
// With the stand-in ranks are threads, or processes that share a process with its devices (--launcher). Cost: forks,
// and the start of the backend in each rank.
#include "apps/isoshard/commands/run_ranks.h"

#include "apps/isoshard/terminal.h"
#include "core/support/counted.h"
#include "exec/load_backend.h"
#include "exec/run/oversubscribe.h"

namespace isoshard::app {
namespace {

using exec::Failure;

/// Whether there is a GPU for each rank, or may be none.
exec::Outcome<bool> is_oversubscribed(int64_t ranks, const exec::Machine& machine, const Settings& settings) {
  if (ranks <= machine.devices) return false;
  const std::string what = counted(ranks, "rank") + " on " + counted(machine.devices, "GPU");
  if (settings.oversubscribe) {
    print_note("oversubscribed: " + what + "; timings mean nothing");
    return true;
  }
  return tl::unexpected(Failure{Failure::Kind::no_device, what + ": expected a GPU for each rank, a smaller --mesh, or "
                                                                 "--oversubscribe, with which timings mean nothing"});
}

exec::Outcome<std::unique_ptr<exec::RankHost>> start_host(const std::shared_ptr<const exec::Job>& job,
                                                          const exec::Machine& machine, const Settings& settings) {
  if (settings.device != "cuda") {
    if (settings.launcher != "processes") return exec::start_threads(job);
    exec::Outcome<std::unique_ptr<exec::SharedDevices>> devices = exec::SharedDevices::share(exec::Device::cpu_standin);
    if (!devices) return tl::unexpected(devices.error());
    return exec::start_processes(
        job, [](size_t) { return exec::Environment(); }, std::move(*devices));
  }
  const exec::Outcome<bool> shared = is_oversubscribed(static_cast<int64_t>(job->lists.size()), machine, settings);
  if (!shared) return tl::unexpected(shared.error());
  return exec::start_processes(job, [&](size_t rank) {
    return *shared ? exec::oversubscribed_environment(machine.description, rank) : exec::Environment();
  });
}

exec::Outcome<StartedRanks> start(const Plan& plan, std::vector<calls::CallList> lists,
                                  const exec::KnownAlgorithms& known, const Settings& settings) {
  exec::Outcome<RunJob> made = make_job(plan, std::move(lists), known, settings);
  if (!made) return tl::unexpected(made.error());
  exec::Outcome<std::unique_ptr<exec::RankHost>> host = start_host(made->job, made->machine, settings);
  if (!host) return tl::unexpected(host.error());
  return StartedRanks{std::make_unique<exec::Crew>(made->job, std::move(*host)), made->machine.description};
}

}  // namespace

bool check_launcher(const Settings& settings, DiagnosticSink& sink) {
  if (settings.device != "cuda" || settings.launcher != "threads") return true;
  sink.error(
      "I-launcher", {},
      "--launcher threads: ranks on cuda are processes, since a call of CUDA that hangs can be ended in no other "
      "way; expected --launcher processes, or --device cpu-standin");
  return false;
}

std::optional<StartedRanks> start_ranks(const Plan& plan, std::vector<calls::CallList> lists,
                                        const exec::KnownAlgorithms& known, const Settings& settings,
                                        DiagnosticSink& sink, int& code) {
  exec::Outcome<StartedRanks> started = start(plan, std::move(lists), known, settings);
  if (!started) {
    code = report_failure(started.error(), sink);
    return std::nullopt;
  }
  return std::move(*started);
}

int report_failure(const Failure& failure, DiagnosticSink& sink) {
  switch (failure.kind) {
    case Failure::Kind::no_device:
      sink.error("R-device", {}, failure.message);
      return kNoDevice;
    case Failure::Kind::unsupported:
      sink.error("R-unsupported", {}, failure.message);
      return kUndecided;
    case Failure::Kind::no_memory:
      sink.error("D-memory", {}, failure.message + "; try smaller sizes (--set) or more devices (--mesh)");
      return kBadInput;
    case Failure::Kind::timed_out:
      sink.error("R-deadline", {}, failure.message);
      return kDoesNotHold;
    case Failure::Kind::not_as_listed:
      sink.error("R-issued", {}, failure.message);
      return kDoesNotHold;
    case Failure::Kind::failed:
    case Failure::Kind::elsewhere:
      sink.error("R-failed", {}, failure.message);
      return kDoesNotHold;
  }
  return kDoesNotHold;
}

}  // namespace isoshard::app
