#pragma once

#include <cstdint>
#include <vector>

#include "core/ir/builder/cover.h"
#include "sim/engine/engine.h"

namespace isoshard::sim {

/// Two devices stored the same block with different bits.
struct Disagreement {
  int64_t position = 0;        ///< the first device that stored the block
  int64_t other = 0;           ///< a later one
  std::vector<int64_t> index;  ///< of the first element that differs, in the whole output
};

/// The whole array of an output, and what is wrong with how it was stored.
struct Assembled {
  Value value;  ///< elements that nobody stored are zero bytes; of a replicated block the first device's copy
  std::vector<Disagreement> disagreements;  ///< one per later device, by position
  std::vector<IndexRange> uncovered;        ///< nobody stored these
  std::vector<IndexRange>
      doubly_covered;  ///< stored twice by one device, or by blocks that overlap without being equal

  bool covered_once() const { return uncovered.empty() && doubly_covered.empty(); }
};

/// Puts the blocks of one output (of one run, ordered by position) in their places; `type` is that of the whole output.
///
/// Blocks of different devices with the same place are replicas: they must agree bit for bit in all planes.
Assembled assemble(const TensorType& type, const std::vector<StoredBlock>& blocks);

}  // namespace isoshard::sim
