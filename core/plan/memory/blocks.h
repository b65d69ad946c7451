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
  Numbers lifetimes{};  ///< in the order in which they begin
};

/// Blocks of one or more buffers that take turns in place, one for each number of iterations modulo `copies`.
struct BlockSet {
  Numbers buffers{};
  std::vector<int64_t> copies{};  ///< by loop around, outermost first
  size_t first_block = 0;         ///< the others follow it
};

/// All bytes that have to be placed.
struct Blocks {
  std::vector<BlockSet> sets;  ///< those without buffers have no blocks
  std::vector<ArenaBlock> all;
};

/// How many blocks a set with buffers has.
size_t block_count(const std::vector<int64_t>& copies);

/// As few copies of each buffer as `order` allows; buffers that may be in place of others share blocks.
Blocks make_blocks(const Plan& plan, const Lifetimes& lifetimes, const ReuseOrder& order);

}  // namespace isoshard
