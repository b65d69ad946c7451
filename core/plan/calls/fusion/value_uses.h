#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::calls {

/// Which values of a rank group are operands of local ops of the block that makes them, and of nothing else. Other
/// names of a value, as reshapes give them, count as the value. Cost: the Plan, once.
class ValueUses {
 public:
  ValueUses(const Plan& plan, const RankGroup& group);

  /// The value of which this is another name, or itself.
  PlanValueId named(PlanValueId id) const;
  /// How many instructions have the value, no other name, as operand. Nothing: something else needs it, too.
  std::optional<int64_t> of(PlanValueId value) const;

 private:
  struct Use {
    const Block* made_in = nullptr;
    int64_t count = 0;
    bool elsewhere = false;
  };
  void note(const Plan& plan, const std::vector<Block>& blocks);
  void note_instructions(const Plan& plan, const Block& block);
  void keep(const std::vector<PlanValueId>& ids);

  std::unordered_map<PlanValueId, PlanValueId> named_;
  std::unordered_map<PlanValueId, Use> uses_;
};

}  // namespace isoshard::calls
