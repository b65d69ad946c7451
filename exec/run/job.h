#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/plan/calls/call_list.h"
#include "exec/backend.h"
#include "exec/run/desk.h"
#include "exec/run/port.h"

namespace isoshard::exec {

/// Loads the backend where a rank runs, which may be a process that is forked for it.
using OpenBackend = std::function<Outcome<Backend*>()>;

/// What all ranks of a run are told; shared, since a thread that never ends keeps it.
struct Job {
  std::vector<calls::CallList> lists;  ///< by rank
  std::vector<int> devices;            ///< by rank: on which it runs
  std::vector<std::string> bus_ids;    ///< by rank: where that is on the bus, if that is known; or none at all
  std::vector<bool> updated;           ///< by global: whether a step gives the next one its value
  RankOptions options;                 ///< of each rank, but for what describes its calls
  std::function<std::string(const calls::Call& call)> describe;  ///< a call in messages; empty: by its number
  OpenBackend open_backend;
  std::shared_ptr<Desk> desk;
};

/// Is rank `rank` of a job until its caller says that it is over, or goes.
void serve_rank(const Job& job, size_t rank, const Port& port);

}  // namespace isoshard::exec
