#pragma once

#include <optional>

#include "verify/compare/pair.h"

namespace isoshard::verify {

/// `pair` with the k largest of the k largest of blocks written as the k largest of all, in both programs, and what is
/// looked up at their places among the blocks' as what stands there among all: the same values, bit by bit. Nothing
/// where neither program has such a thing.
std::optional<Pair> merge_top_k(const Pair& pair);

}  // namespace isoshard::verify
