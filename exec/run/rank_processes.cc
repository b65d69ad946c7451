// Ranks as processes, one each, forked before anything of CUDA is touched: a CUDA context does not survive a fork, and
// NCCL takes some settings once per process. A child keeps its own port only, so that each side sees the other go.
// Stopping kills, since a rank may wait inside of a collective that others will never join; devices that are in a
// process of their own, as those of the stand-in, are started before and end behind. A rank stays on the processors
// near its GPU, and what it prints is told with its name. Cost: a fork for each rank.
#include <cstdlib>

#include "exec/run/affinity.h"
#include "exec/run/child.h"
#include "exec/run/rank_host.h"
#include "exec/run/rank_output.h"

namespace isoshard::exec {
namespace {

class RankProcesses final : public RankHost {
 public:
  explicit RankProcesses(std::unique_ptr<SharedDevices> devices) : devices_(std::move(devices)) {}
  ~RankProcesses() override { stop(); }

  Outcome<> start_all(const Job& job, const std::function<Environment(size_t)>& environment) {
    for (size_t rank = 0; rank < job.lists.size(); ++rank) {
      if (Outcome<> started = start(job, rank, environment(rank)); !started) return started;
    }
    return begin();
  }
  Outcome<> start_one(const Job& job, size_t rank, const Environment& environment) {
    Outcome<> started = start(job, rank, environment);
    return started ? begin() : started;
  }

  std::string end_of(size_t rank) override { return children_[rank].end(); }

  bool stop() override {
    for (Child& child : children_) child.kill();
    output_.finish();
    children_.clear();
    ports_.clear();
    devices_.reset();
    return true;
  }

 private:
  Outcome<> begin() {
    if (output_.begin()) return {};
    return tl::unexpected(Failure{Failure::Kind::failed, "no more threads for what ranks print"});
  }

  Outcome<> start(const Job& job, size_t rank, const Environment& environment) {
    auto [ours, theirs] = connected_ports();
    if (!ours.is_open() || !output_.add(rank))
      return tl::unexpected(Failure{Failure::Kind::failed, "no more sockets for ranks"});
    ports_.push_back(std::move(ours));
    const auto work = [&, port = &theirs] {
      ports_.clear();
      output_.redirect();
      if (!job.bus_ids.empty()) stay_on(processors_near(job.bus_ids[rank]));
      for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
      serve_rank(job, rank, *port);
    };
    std::optional<Child> child = Child::start(work);
    if (!child) return tl::unexpected(Failure{Failure::Kind::failed, "no more processes for ranks"});
    children_.push_back(std::move(*child));
    return {};
  }

  std::unique_ptr<SharedDevices> devices_;
  std::vector<Child> children_;
  RankOutput output_{};
};

}  // namespace

Outcome<std::unique_ptr<RankHost>> start_processes(const std::shared_ptr<const Job>& job,
                                                   const std::function<Environment(size_t rank)>& environment,
                                                   std::unique_ptr<SharedDevices> devices) {
  auto host = std::make_unique<RankProcesses>(std::move(devices));
  if (const Outcome<> started = host->start_all(*job, environment); !started) return tl::unexpected(started.error());
  return host;
}

Outcome<std::unique_ptr<RankHost>> start_process_of(const std::shared_ptr<const Job>& job, size_t rank,
                                                    const Environment& environment,
                                                    std::unique_ptr<SharedDevices> devices) {
  auto host = std::make_unique<RankProcesses>(std::move(devices));
  if (const Outcome<> started = host->start_one(*job, rank, environment); !started)
    return tl::unexpected(started.error());
  return host;
}

}  // namespace isoshard::exec
