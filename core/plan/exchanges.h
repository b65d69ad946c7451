#pragma once

#include <vector>

#include "core/plan/plan.h"

namespace isoshard {

/// How values go from one instruction to another where devices meet: what a static analysis follows besides operands.
///
/// In a Plan with one group a collective or permute is one instruction for all members. With several groups each has an
/// instruction of its own for it, and a receive gets what a send of another instruction brings; a permute is both.
/// Instructions meet by their order on the communicator, as devices do; in loops any may meet any other that shares a
/// group of devices with it.
class Exchanges {
 public:
  explicit Exchanges(const Plan& plan);

  /// The instructions that instruction `id` meets, itself excluded: empty for local ones and within one group.
  const std::vector<InstructionId>& met_by(InstructionId id) const { return met_[id.index()]; }
  /// The values of other instructions that may reach the results of `id`.
  std::vector<PlanValueId> brought_to(InstructionId id) const;
  bool empty() const { return empty_; }

 private:
  const Plan& plan_;
  bool empty_ = true;
  std::vector<std::vector<InstructionId>> met_;
};

/// All instructions of the groups, each group's in issue order; in a lowered Plan an order in which values are computed
/// before they are read, across groups, too. Loops stand as wholes at the place of their first instruction.
struct PlanItem {
  InstructionId instruction{};     ///< or, for a loop, its first instruction
  const Repeat* repeat = nullptr;  ///< null: an instruction
  const RankGroup* group = nullptr;
};
std::vector<PlanItem> items_in_order(const Plan& plan);

}  // namespace isoshard
