#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/plan/calls/fusion/value_uses.h"

namespace isoshard::calls {

/// Local ops of one block that go through the same rows: reductions over the last dimensions of a shape, and ops
/// element by element of that shape or of one element a row. Of all that they make only the last one's value is needed
/// by others.
struct RowRegion {
  std::vector<InstructionId> members;  ///< in issue order
};

/// The regions of a rank group: such with a reduction that another member reads. An instruction is in one at most. What
/// memory lies where, and what fits a kernel, is not looked at. Cost: for each reduction the instructions near it.
class RowRegions {
 public:
  RowRegions(const Plan& plan, const RankGroup& group, const ValueUses& uses);

  /// That of an instruction, or null.
  const RowRegion* of(InstructionId id) const;

 private:
  void find(const Plan& plan, const std::vector<Block>& blocks, const ValueUses& uses);

  std::vector<RowRegion> regions_;
  std::unordered_map<InstructionId, size_t> region_of_;
};

}  // namespace isoshard::calls
