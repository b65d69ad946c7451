#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/gpu/programs/times.h"
#include "core/plan/calls/call_list.h"
#include "core/plan/plan.h"
#include "exec/load_backend.h"
#include "exec/run/crew.h"
#include "exec/run/steps.h"

namespace isoshard::bench {

/// On what ranks are timed, and how often.
struct RunSettings {
  exec::Device device = exec::Device::cuda;
  bool oversubscribe = false;  ///< several ranks on one GPU, whose times mean little
  int64_t warm_up = 5;         ///< steps before the first that counts
  int64_t steps = 20;          ///< that count
  double deadline = 60;        ///< seconds that a step may take
};

/// What the devices are, and the versions of driver and libraries; nothing has been started then.
exec::Outcome<std::string> machine_of(const RunSettings& settings, int64_t ranks);

/// All ranks of some lists, started.
class TimedRanks {
 public:
  /// `plan`: of which the lists hold boxes of globals and outputs. With `graph` a step is one launch of a graph. The
  /// backend is that of the device unless another is given.
  static exec::Outcome<TimedRanks> start(const Plan& plan, std::vector<calls::CallList> lists, bool graph,
                                         const RunSettings& settings, exec::OpenBackend open_backend = {});

  /// Does one step on `globals`.
  exec::Outcome<> step(std::span<const Tensor> globals);
  /// Does one more on what the ranks have.
  exec::Outcome<> step_again();
  /// All boxes of the only output, by rank, as the last step left them.
  std::vector<Tensor> outputs(DType dtype) const;
  /// How many elements of the only output have other bits than `expected`, which is the whole array, on all ranks.
  int64_t count_wrong(const Tensor& expected) const;
  /// Seconds of each of many steps, on the device, of the slowest rank.
  exec::Outcome<Times> time(const RunSettings& settings);
  /// The same of as many steps for each of `turns`, which take turns.
  exec::Outcome<std::vector<Times>> time_by_turns(size_t turns, const RunSettings& settings);
  exec::Outcome<> finish() { return crew_->finish(); }

 private:
  explicit TimedRanks(std::unique_ptr<exec::Crew> crew) : crew_(std::move(crew)) {}

  std::unique_ptr<exec::Crew> crew_;
};

}  // namespace isoshard::bench
