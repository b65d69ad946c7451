#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan_ids.h"

namespace isoshard {

/// When bytes may be used again (docs/adr/0050-buffers.md).
enum class Reuse : uint8_t {
  ordered,  ///< where the Plan as it is orders all readers, on every queue, before the writer: nothing waits for memory
  tokens,   ///< where that holds in issue order: the Plan gets tokens where it does not say so
};

/// How the bytes of a value are found.
enum class Home : uint8_t {
  none,     ///< it has no bytes, or no instruction makes it
  own,      ///< it has bytes of its own: `offsets`
  operand,  ///< it is `of` under another name, an operand of the instruction that makes it
  row,      ///< it is made in place, as the row of its iteration in the stack `of`
  loop,     ///< a loop hands it on: an argument is what `initial`, then the yield of the iteration before was; a slice
            ///< is a row of what is stacked; a result is the last yield
};

/// Where one value of a Plan is in the arena of its rank.
struct ValueMemory {
  Home home = Home::none;
  PlanValueId of{};
  int64_t bytes = 0;
  /// Of `own`: for each loop around, outermost first, how many iterations have bytes of their own.
  std::vector<int64_t> copies{};
  /// Of `own`: where the bytes begin; for iterations i, j, ... it is that of number (i mod copies[0]) copies[1] + j mod
  /// copies[1] and so on.
  std::vector<int64_t> offsets{};
};

/// The arena of each rank of one group.
struct GroupMemory {
  int64_t bytes = 0;  ///< of the arena
  int64_t live = 0;   ///< the most of it that is held at once when runs follow each other in issue order
};

/// Where the values of a Plan are, beside the Plan (docs/spec/plan.md, "Buffers").
///
/// Values have the same offsets on all ranks of a group. Globals that are read and outputs that are written are no part
/// of arenas; what is stored stays to the end. A part of a stack that is not made in place is copied into its row by
/// what makes it, right after.
struct MemoryPlan {
  std::vector<ValueMemory> values;  ///< by PlanValueId
  std::vector<GroupMemory> groups;  ///< as in the Plan
};

/// Every offset in an arena, and its size, is a multiple of this many bytes.
inline constexpr int64_t kArenaAlignment = 256;
/// Bytes rounded up to a multiple of kArenaAlignment.
constexpr int64_t aligned(int64_t bytes) { return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment; }

}  // namespace isoshard
