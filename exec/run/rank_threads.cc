// Ranks as threads of this process, as the stand-in has them where no others are asked for. A thread cannot be killed:
// to stop it, its caller hangs up, upon which it returns as soon as it listens. One that hangs inside of the backend
// keeps the job, which it shares, and is left to itself after a while. Cost: a thread for each rank.
#include <sys/socket.h>

#include <chrono>
#include <string>
#include <system_error>
#include <thread>

#include "exec/run/affinity.h"
#include "exec/run/rank_host.h"

namespace isoshard::exec {
namespace {

constexpr double kSecondsToEnd = 2;

class RankThreads final : public RankHost {
 public:
  ~RankThreads() override { stop(); }

  Outcome<> start(const std::shared_ptr<const Job>& job) {
    for (size_t rank = 0; rank < job->lists.size(); ++rank) {
      const std::string whose = " for rank " + std::to_string(rank) + " of " + std::to_string(job->lists.size());
      auto [ours, theirs] = connected_ports();
      if (!ours.is_open()) return none("no socket" + whose + "; raise the limit of open files (ulimit -n)");
      try {
        threads_.emplace_back([job, rank, port = std::move(theirs)] {
          if (!job->bus_ids.empty()) stay_on(processors_near(job->bus_ids[rank]));
          serve_rank(*job, rank, port);
        });
      } catch (const std::system_error&) {
        return none("no thread" + whose + "; raise the limit of processes (ulimit -u)");
      }
      ports_.push_back(std::move(ours));
    }
    return {};
  }

  std::string end_of(size_t) override { return "ended without a word"; }

  bool stop() override {
    for (const Port& port : ports_) shutdown(port.descriptor(), SHUT_WR);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kSecondsToEnd);
    bool all = true;
    for (size_t i = 0; i < threads_.size(); ++i) all = end_by(i, end) && all;
    threads_.clear();
    ports_.clear();
    return all;
  }

 private:
  /// Waits until a thread has closed its port, as it does when it returns.
  template <class Time>
  bool end_by(size_t i, Time end) {
    const Port* port = &ports_[i];
    for (;;) {
      const std::chrono::duration<double> left = end - std::chrono::steady_clock::now();
      if (wait_for({&port, 1}, left.count()).empty()) {
        if (left.count() > 0) continue;
        threads_[i].detach();
        return false;
      }
      if (port->hear()) continue;
      threads_[i].join();
      return true;
    }
  }

  static Outcome<> none(const std::string& what) {
    return tl::unexpected(Failure{Failure::Kind::failed, what + ", or take a smaller mesh"});
  }

  std::vector<std::thread> threads_;
};

}  // namespace

Outcome<std::unique_ptr<RankHost>> start_threads(const std::shared_ptr<const Job>& job) {
  auto host = std::make_unique<RankThreads>();
  if (const Outcome<> started = host->start(job); !started) return tl::unexpected(started.error());
  return host;
}

}  // namespace isoshard::exec
