// Ranks as `isoshard run` has them (exec/start): processes on GPUs, threads on the stand-in. How many steps are done is
// fixed beforehand, as ranks that decide for themselves issue different numbers of collectives and hang. A step is
// timed by events of the device on each rank, and the slowest counts. Cost: that of the steps, and the start of CUDA
// and NCCL in each rank.
#include "bench/gpu/programs/timed_ranks.h"

#include <cstring>
#include <utility>

#include "exec/run/boxes.h"
#include "exec/start/ranks.h"

namespace isoshard::bench {
namespace {

using exec::Outcome;

exec::RankSettings rank_settings(const RunSettings& settings) {
  exec::RankSettings ranks;
  ranks.device = settings.device;
  ranks.threads = settings.device != exec::Device::cuda;
  ranks.oversubscribe = settings.oversubscribe;
  ranks.options.deadline = settings.deadline;
  return ranks;
}

}  // namespace

Outcome<std::string> machine_of(const RunSettings& settings, int64_t ranks) {
  return exec::find_machine(rank_settings(settings), ranks).map([](const exec::Machine& m) { return m.description; });
}

Outcome<TimedRanks> TimedRanks::start(const Plan& plan, std::vector<calls::CallList> lists, bool graph,
                                      const RunSettings& settings, exec::OpenBackend open_backend) {
  exec::RankSettings ranks = rank_settings(settings);
  ranks.options.graph = graph;
  ranks.open_backend = std::move(open_backend);
  const Outcome<exec::PreparedJob> prepared = exec::prepare_job(plan, std::move(lists), ranks);
  if (!prepared) return tl::unexpected(prepared.error());
  Outcome<std::unique_ptr<exec::RankHost>> host = exec::start_ranks(*prepared, ranks);
  if (!host) return tl::unexpected(host.error());
  TimedRanks started(std::make_unique<exec::Crew>(prepared->job, std::move(*host)));
  if (const Outcome<> opened = started.crew_->open(); !opened) return tl::unexpected(opened.error());
  return started;
}

Outcome<> TimedRanks::step(std::span<const Tensor> globals) {
  exec::lay_inputs(crew_->job(), globals, true);
  return crew_->step(true).map([](double) {});
}

Outcome<> TimedRanks::step_again() {
  return crew_->step(false).map([](double) {});
}

std::vector<Tensor> TimedRanks::outputs(DType dtype) const {
  const exec::Job& job = crew_->job();
  std::vector<Tensor> boxes;
  for (size_t rank = 0; rank < job.lists.size(); ++rank) {
    for (size_t i = 0; i < job.lists[rank].outputs.size(); ++i) {
      const std::span<const std::byte> bytes = job.desk->output(rank, i);
      const auto elements = static_cast<int64_t>(bytes.size() / info(dtype).bytes);
      boxes.push_back(Tensor::from_bytes(dtype, {elements}, bytes));
    }
  }
  return boxes;
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
  return time_by_turns(1, settings).map([](std::vector<Times>&& times) { return std::move(times[0]); });
}

Outcome<std::vector<Times>> TimedRanks::time_by_turns(size_t turns, const RunSettings& settings) {
  std::vector<std::vector<double>> seconds(turns);
  for (int64_t step = 0; step < settings.warm_up + settings.steps; ++step) {
    for (std::vector<double>& own : seconds) {
      const Outcome<double> taken = crew_->step(false);
      if (!taken) return tl::unexpected(taken.error());
      if (step >= settings.warm_up) own.push_back(*taken);
    }
  }
  std::vector<Times> times;
  for (std::vector<double>& own : seconds) times.emplace_back(std::move(own));
  return times;
}

}  // namespace isoshard::bench
