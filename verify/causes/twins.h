#pragma once  // internal

#include <map>
#include <vector>

#include "verify/evidence/evidence.h"
#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// What stands in the reference where a value stands in the sharded program. It is a guess by structure, to be tried.
class Twins {
 public:
  /// Walks back from the outputs that differ, in both programs side by side.
  Twins(const Evidence& e, const RingOutcome& outcome);

  /// Values of the reference that `id` may be meant to be, the likeliest first.
  std::vector<PlanValueId> of(PlanValueId id) const;
  /// The value of the reference at whose place the walk came to `id`, or invalid.
  PlanValueId at_place_of(PlanValueId id) const;

 private:
  void pair(PlanValueId own, PlanValueId other);
  void pair_operands(const Instruction& own, const Instruction& other);
  bool alike(PlanValueId own, PlanValueId other) const;
  int agreement(const Instruction& own, const Instruction& other) const;

  const Evidence& e_;
  const Plan& reference_;
  std::vector<InstructionId> makers_;  ///< of the reference's values
  std::map<PlanValueId, std::vector<PlanValueId>> paired_;
};

/// Whether `own` is the reference's `other`, whole or in blocks.
bool is_value_of(const Evidence& e, PlanValueId own, PlanValueId other);

}  // namespace isoshard::verify
