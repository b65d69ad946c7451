#pragma once  // internal

#include <map>
#include <optional>
#include <vector>

#include "verify/abstraction/plan_insertions.h"
#include "verify/pair_facts/settled.h"

namespace isoshard::verify {

/// Writes where sums of exponentials are 0 as integers that rungs know exactly.
class ZerosOfSums {
 public:
  /// `insertions` is made of `plan`; both must outlive it.
  ZerosOfSums(const Plan& plan, PlanInsertions& insertions);

  /// Adds, where insertions stand, an i32 of 1 where `id` is more than 0 and of 0 where it is 0; nothing where it is
  /// made of anything but sums, products and choices of exponentials whose infinities are settled, or by a loop.
  std::optional<PlanValueId> more_than_zero(PlanValueId id);

 private:
  using Added = std::optional<PlanValueId>;

  TensorType type(PlanValueId id) const;
  Added number(PlanValueId like, int64_t n);
  Added like(PlanValueId id, InstructionData data, const std::vector<PlanValueId>& operands);
  Added of(PlanValueId id, const Instruction& made);
  Added of_local(PlanValueId id, const Instruction& made);
  Added exponential(PlanValueId id, PlanValueId exponent);
  Added both(PlanValueId id, const Instruction& made, OpData op);
  Added moved(PlanValueId id, const Instruction& made, InstructionData data);
  bool not_negative(const Instruction& made) const;

  const Plan& plan_;
  PlanInsertions& insertions_;
  const std::vector<InstructionId> made_;
  std::optional<SettledZeros> settled_;
  std::vector<bool> masks_;  ///< made of a number that counts as infinite
};

}  // namespace isoshard::verify
