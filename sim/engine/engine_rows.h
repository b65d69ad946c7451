#pragma once

#include <vector>

#include "core/plan/plan.h"

namespace isoshard::sim {

/// Which reversals of rows (the slices along dimension 0) a run can leave out, because a `repeat` that takes or puts
/// one row after another may as well do so from the end. Nothing else may see the values named here.
class BackwardRows {
 public:
  BackwardRows() = default;  ///< none
  explicit BackwardRows(const Plan& plan);

  /// A reversed value that only repeats read, slice by slice: the operand stands for it, slices come from its end.
  bool taken(PlanValueId id) const { return !taken_.empty() && taken_[id.index()]; }
  /// Stacked parts that are only read to be reversed: put from the end, they are reversed already.
  bool put(PlanValueId id) const { return !put_.empty() && put_[id.index()]; }

  /// A reversal whose operand stands for its result.
  bool is_left_out(const Instruction& instruction) const {
    return taken(instruction.results[0]) || put(instruction.operands[0]);
  }

 private:
  std::vector<bool> taken_, put_;  ///< by value
};

}  // namespace isoshard::sim
