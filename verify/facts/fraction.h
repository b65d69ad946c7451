#pragma once

#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// Which values are between -1 and 1 for all inputs, as their construction shows: logistics, hyperbolic tangents, their
/// products, and constants.
class Fractions {
 public:
  /// `plan` must outlive it.
  explicit Fractions(const Plan& plan);

  bool holds(PlanValueId id) const;
  /// Whether the result of a sum or difference is positive for that reason: 1 - logistic x, 1 + tanh x.
  bool leave_rest(const Instruction& i) const;

 private:
  /// A constant of at least 1.
  bool is_whole(PlanValueId id) const;
  const Instruction* maker(PlanValueId id) const;

  const Plan& plan_;
  std::vector<InstructionId> definitions_;
};

}  // namespace isoshard::verify
