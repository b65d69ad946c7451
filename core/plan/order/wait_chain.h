#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/diagnostic.h"

namespace isoshard {

/// A rank that cannot go on, and in words what it waits for.
struct WaitingRank {
  int64_t position = 0;
  Location location;
  std::string text;
};

/// `D-deadlock`, of `stuck` of `ranks` ranks: each rank of the chain waits for the next one and, in a cycle, the last
/// for the first; otherwise the last waits for a rank that has finished. One note per step, of long chains the first.
Diagnostic deadlock_diagnostic(const std::vector<WaitingRank>& chain, bool cycle, int64_t stuck, int64_t ranks);

/// `rank 3`.
std::string rank_name(int64_t position);

}  // namespace isoshard
