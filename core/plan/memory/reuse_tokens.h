#pragma once  // internal

#include <vector>

#include "core/plan/memory/arena.h"
#include "core/plan/memory/blocks.h"
#include "core/plan/memory/lifetimes.h"
#include "core/plan/memory/reuse_order.h"

namespace isoshard {

/// What orders each use of bytes in an arena behind the uses before, as far as nothing does so yet. Sorted.
std::vector<ReuseToken> reuse_tokens(const Lifetimes& lifetimes, const Blocks& blocks, const Arena& arena,
                                     const ReuseOrder& order);

}  // namespace isoshard
