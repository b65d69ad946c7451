#pragma once

#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// Which values are between -1 and 1 for all inputs, as their construction shows: logistics, hyperbolic tangents, their
/// products, and constants.
class Fractions {
 public:
  explicit Fractions(const Plan& plan);

  bool holds(PlanValueId id) const { return fractions_[id.index()]; }
  /// Whether the result of a sum or difference is positive for that reason: 1 - logistic x, 1 + tanh x.
  bool leave_rest(const Instruction& i) const;

 private:
  bool holds(const Instruction& i) const;
  /// A constant of at least 1.
  bool is_whole(const Instruction& i) const;

  std::vector<bool> fractions_, wholes_;  ///< per value
};

}  // namespace isoshard::verify
