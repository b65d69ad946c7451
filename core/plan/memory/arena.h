#pragma once  // internal

#include <cstdint>
#include <vector>

#include "core/plan/memory/blocks.h"
#include "core/plan/memory/reuse_order.h"

namespace isoshard {

/// Where blocks begin in an arena.
struct Arena {
  std::vector<int64_t> offsets{};  ///< by block
  int64_t bytes = 0;
};

/// The most bytes that are held at once when runs follow each other in issue order, of `moments`.
int64_t most_live(const Lifetimes& lifetimes, const Blocks& blocks, size_t moments);

/// Blocks share bytes only where each lifetime of one may follow every earlier one of the other. An arena of `live`
/// bytes is small enough.
Arena place_blocks(const Lifetimes& lifetimes, const Blocks& blocks, const ReuseOrder& order, int64_t live);

}  // namespace isoshard
