#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/plan/calls/call_list.h"
#include "core/plan/plan.h"
#include "exec/backend.h"
#include "exec/load_backend.h"
#include "exec/run/job.h"
#include "exec/run/rank_host.h"
#include "exec/start/probe.h"

namespace isoshard::exec {

/// On what ranks run, and as what.
struct RankSettings {
  Device device = Device::cuda;
  bool threads = false;        ///< of this process, in place of a process for each rank
  bool oversubscribe = false;  ///< several ranks on one GPU, whose timings mean nothing
  RankOptions options{};
  OpenBackend open_backend{};  ///< empty: the library of the device
};

/// What ranks are told, and on what they run.
struct PreparedJob {
  std::shared_ptr<Job> job;  ///< its devices taken in turn
  Machine machine;
};

/// The machine for so many ranks; `no_device` where it has none. A process that is to be forked touches no CUDA here.
Outcome<Machine> find_machine(const RankSettings& settings, int64_t ranks);

/// The job of a Plan whose ranks issue these lists.
Outcome<PreparedJob> prepare_job(const Plan& plan, std::vector<calls::CallList> lists, const RankSettings& settings);

/// Puts a rank on a device of a machine.
void place(Job& job, size_t rank, int device, const Machine& machine);

/// Whether there are more ranks than GPUs; never on the stand-in, whose devices are memory of the host.
bool is_oversubscribed(const PreparedJob& prepared, const RankSettings& settings);

/// Starts all ranks. `no_device` where a GPU would have several and nobody said that it may, `unsupported` where these
/// would be threads and the version of NCCL cannot have that.
Outcome<std::unique_ptr<RankHost>> start_ranks(const PreparedJob& prepared, const RankSettings& settings);

}  // namespace isoshard::exec
