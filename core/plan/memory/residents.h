#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/memory/box_set.h"
#include "core/plan/plan.h"

namespace isoshard {

/// How ranks come by a global in the next step.
enum class NextStep : uint8_t {
  same,   ///< nothing updates it
  stays,  ///< each rank stores all that it loads
  moves,  ///< some rank loads what it does not store: between steps, blocks go from rank to rank
};

/// Elements that a rank loads in the next step and does not store in this one.
struct MovedBlock {
  int64_t position = 0;
  IndexRange range;  ///< the first of them
};

/// What each rank of a group holds of a global from step to step.
struct Resident {
  GlobalId global;
  double bytes = 0;  ///< of all blocks that a rank loads, each element once, with padding; of the rank that holds most
  NextStep next = NextStep::same;
  /// `stays`, and no load of it is issued behind a store of its update: that may be written where the global lies,
  /// which is called donated.
  bool in_place = false;
  std::optional<MovedBlock> moved{};  ///< where it `moves`
};

/// The globals that the ranks of `group` load, in the order of their ids; nothing where ranks and iterations together
/// load and store more than 2^22 blocks (docs/spec/plan.md, "From step to step").
std::optional<std::vector<Resident>> residents_of(const Plan& plan, const RankGroup& group);

}  // namespace isoshard
