#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/plan/memory/lifetimes.h"
#include "core/plan/memory/reuse_order.h"

namespace isoshard {

/// Bytes at one place in the arena, and all lifetimes that have them in turns.
struct ArenaBlock {
  int64_t bytes = 0;
  std::vector<size_t> lifetimes{};  ///< in the order in which they begin
};

/// Blocks of one or more buffers that take turns in place, one for each number of iterations modulo `copies`.
struct BlockSet {
  std::vector<size_t> buffers{};
  std::vector<int64_t> copies{};  ///< by loop around, outermost first
  std::vector<size_t> blocks{};
};

/// All bytes that have to be placed.
struct Blocks {
  std::vector<BlockSet> sets;
  std::vector<ArenaBlock> all;
};

/// As few copies of each buffer as `order` allows; buffers that may be in place of others share blocks.
Blocks make_blocks(const Plan& plan, const Lifetimes& lifetimes, const ReuseOrder& order);

}  // namespace isoshard
