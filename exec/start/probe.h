#pragma once

#include <string>
#include <vector>

#include "exec/run/job.h"

namespace isoshard::exec {

/// What a backend says of its machine.
struct Machine {
  int devices = 0;
  std::vector<std::string> bus_ids{};  ///< by device
  std::string description;
};

/// Asks the backend in a process that is forked for it, so that this one touches no CUDA; `no_device` where it has
/// none.
Outcome<Machine> probe_machine(const OpenBackend& open_backend, double seconds);

/// Asks it in this process.
Outcome<Machine> ask_machine(const OpenBackend& open_backend);

}  // namespace isoshard::exec
