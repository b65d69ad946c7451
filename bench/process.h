#pragma once

#include <string>
#include <vector>

namespace isoshard::bench {

/// What one run of a program took.
struct ProcessRun {
  int exit_code = -1;  ///< -1: killed by a signal
  double cpu_seconds = 0;
  double peak_megabytes = 0;
};

/// The isoshard program: $ISOSHARD_BINARY, or the one built beside this program.
std::string isoshard_binary();

/// Runs `binary` with `arguments` from its start to its end, its output thrown away; exit code 127 if it cannot start.
ProcessRun run_process(const std::string& binary, const std::vector<std::string>& arguments);

}  // namespace isoshard::bench
