#pragma once

#include <string>

namespace isoshard::sim {

/// The most memory this process can have, and what says so (for messages).
struct MemoryLimit {
  double bytes = 0;
  std::string source;
};

/// The least of the machine's physical memory, the process's cgroup limits and its `ulimit -v` and `-d`.
MemoryLimit machine_memory();

}  // namespace isoshard::sim
