// Ranks for benchmarks, started as `isoshard run` starts them: processes on GPUs, threads on the stand-in. How many
// steps are done is fixed beforehand, as ranks that decide for themselves issue different numbers of collectives and
// hang. A step is timed by events of the device on each rank, and the slowest counts. Cost: that of the steps, and the
// start of CUDA and NCCL in each rank.
#include "bench/gpu/programs/timed_ranks.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "exec/run/boxes.h"
#include "exec/run/oversubscribe.h"
#include "exec/run/probe.h"

namespace isoshard::bench {
namespace {

using exec::Outcome;

bool is_cuda(const RunSettings& settings) { return settings.device == exec::Device::cuda; }

exec::OpenBackend backend_of(const RunSettings& settings) {
  return [device = settings.device] { return exec::load_backend(device); };
}

Outcome<exec::Machine> probe(const RunSettings& settings, int64_t ranks) {
  if (!is_cuda(settings)) setenv("STANDIN_DEVICES", std::to_string(ranks).c_str(), 0);
  Outcome<exec::Machine> machine = is_cuda(settings) ? exec::probe_machine(backend_of(settings), settings.deadline)
                                                     : exec::ask_machine(backend_of(settings));
  if (!machine || ranks <= machine->devices || settings.oversubscribe) return machine;
  return tl::unexpected(exec::Failure{exec::Failure::Kind::no_device,
                                      std::to_string(ranks) + " ranks, but " + std::to_string(machine->devices) +
                                          " devices; expected fewer ranks, or --oversubscribe"});
}

Outcome<std::unique_ptr<exec::RankHost>> start_host(const std::shared_ptr<exec::Job>& job, const exec::Machine& machine,
                                                    const RunSettings& settings) {
  if (!is_cuda(settings)) return exec::start_threads(job);
  const bool shared = job->lists.size() > static_cast<size_t>(machine.devices);
  return exec::start_processes(job, [&](size_t rank) {
    return shared ? exec::oversubscribed_environment(machine.description, rank) : exec::Environment();
  });
}

}  // namespace

Outcome<std::string> machine_of(const RunSettings& settings, int64_t ranks) {
  return probe(settings, ranks).map([](const exec::Machine& machine) { return machine.description; });
}

Outcome<TimedRanks> TimedRanks::start(const Plan& plan, std::vector<calls::CallList> lists, bool graph,
                                      const RunSettings& settings) {
  const auto ranks = static_cast<int64_t>(lists.size());
  const Outcome<exec::Machine> machine = probe(settings, ranks);
  if (!machine) return tl::unexpected(machine.error());
  auto job = std::make_shared<exec::Job>();
  job->open_backend = backend_of(settings);
  job->options.deadline = settings.deadline;
  job->options.graph = graph;
  for (int64_t rank = 0; rank < ranks; ++rank) job->devices.push_back(static_cast<int>(rank % machine->devices));
  Outcome<std::shared_ptr<exec::Desk>> desk = exec::Desk::make(plan, lists);
  if (!desk) return tl::unexpected(desk.error());
  job->desk = std::move(*desk);
  job->lists = std::move(lists);
  job->updated = exec::updated_globals(plan);
  Outcome<std::unique_ptr<exec::RankHost>> host = start_host(job, *machine, settings);
  if (!host) return tl::unexpected(host.error());
  TimedRanks started(std::make_unique<exec::Crew>(job, std::move(*host)));
  if (const Outcome<> opened = started.crew_->open(); !opened) return tl::unexpected(opened.error());
  return started;
}

Outcome<> TimedRanks::step(std::span<const Tensor> globals) {
  exec::lay_inputs(crew_->job(), globals, true);
  return crew_->step(true).map([](double) {});
}

int64_t TimedRanks::count_wrong(const Tensor& expected) const {
  const exec::Job& job = crew_->job();
  const size_t width = info(expected.dtype()).bytes;
  int64_t wrong = 0;
  for (size_t rank = 0; rank < job.lists.size(); ++rank) {
    for (size_t i = 0; i < job.lists[rank].outputs.size(); ++i) {
      const std::span<const std::byte> got = job.desk->output(rank, i);
      std::vector<std::byte> right(got.size());
      exec::cut_box(expected, job.lists[rank].outputs[i].range, right);
      for (size_t at = 0; at < got.size(); at += width) {
        wrong += std::memcmp(got.data() + at, right.data() + at, width) == 0 ? 0 : 1;
      }
    }
  }
  return wrong;
}

Outcome<Times> TimedRanks::time(const RunSettings& settings) {
  std::vector<double> seconds;
  for (int64_t step = 0; step < settings.warm_up + settings.steps; ++step) {
    const Outcome<double> taken = crew_->step(false);
    if (!taken) return tl::unexpected(taken.error());
    if (step >= settings.warm_up) seconds.push_back(*taken);
  }
  return Times(std::move(seconds));
}

}  // namespace isoshard::bench
