#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "exec/kernels/simt/site.h"

namespace isoshard::exec {

/// What a test does to the kernels that its OS thread runs, if they are compiled with ISOSHARD_WATCHED: the order of
/// threads, the number of blocks, and one mistake.
struct Trial {
  uint64_t order = 0;  ///< in which threads of a block take turns: as they are numbered, or drawn by this
  int64_t most_blocks = 8192;
  std::optional<Site> barrier_left_out{};  ///< no thread waits there
  std::optional<Site> bound_too_far{};     ///< one more is below it
  std::set<Site> barriers{}, bounds{};     ///< that were come to
};

/// That of the calling OS thread.
inline Trial& trial() {
  thread_local Trial one;
  return one;
}

}  // namespace isoshard::exec
