#pragma once

#include <string>
#include <vector>

#include "bench/table/measure/measured.h"

namespace isoshard::bench {

/// A run of isoshard, and how it must end.
struct Command {
  std::vector<std::string> arguments;
  int exit_code = 0;
};

/// Seconds times `unit` from starting the process to its end, the least of several where they are short; its peak
/// memory.
Measured process_time(const Command& command, double unit);

/// The time of the first command divided by that of the second, each the least of several, and the memory of the first.
Measured process_over_process(const Command& command, const Command& measure);

/// Seconds for all pairs of tests/data/stablehlo, or the first `count`, one process each; all must have their verdicts.
Measured corpus_time(int count);

}  // namespace isoshard::bench
