#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exec/load_backend.h"
#include "exec/run/job.h"
#include "exec/run/port.h"

namespace isoshard::exec {

/// Ranks that were started, each behind a port; they end with it.
class RankHost {
 public:
  virtual ~RankHost() = default;
  /// The caller's ends, by rank.
  const std::vector<Port>& ports() const { return ports_; }
  /// How a rank ended that closed its port without a word: `was killed by signal 9 (Killed)`.
  virtual std::string end_of(size_t rank) = 0;
  /// Ends all ranks; false where one of them does not, and goes on in this process.
  virtual bool stop() = 0;

 protected:
  std::vector<Port> ports_;
};

/// Starts each rank as a thread of this process.
Outcome<std::unique_ptr<RankHost>> start_threads(const std::shared_ptr<const Job>& job);

/// Names and values of environment variables.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// Starts each rank as a process of its own, forked from this one, with what `environment` says of it. This process
/// must not have touched CUDA and have no other threads. `devices` live as long as the ranks; null: they need nothing.
Outcome<std::unique_ptr<RankHost>> start_processes(const std::shared_ptr<const Job>& job,
                                                   const std::function<Environment(size_t rank)>& environment,
                                                   std::unique_ptr<SharedDevices> devices = nullptr);

/// The same for one rank of a job whose others are elsewhere: its port is the first.
Outcome<std::unique_ptr<RankHost>> start_process_of(const std::shared_ptr<const Job>& job, size_t rank,
                                                    const Environment& environment,
                                                    std::unique_ptr<SharedDevices> devices = nullptr);

}  // namespace isoshard::exec
