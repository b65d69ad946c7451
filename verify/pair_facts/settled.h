#pragma once

#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// Per value of a Plan, which runs for one step.
struct SettledZeros {
  /// Whether its elements that are 0 are the same for all inputs, and so are those that are infinite or no number: one
  /// run shows for all inputs where it is 0.
  std::vector<bool> zeros;
  std::vector<bool> not_negative;  ///< where it is a number
  std::vector<bool> infinite;      ///< its elements that are infinite or no number are the same for all inputs
  std::vector<bool> finite;        ///< each element is a number, for all inputs
  std::vector<bool> low;           ///< each element is a number or -inf, for all inputs
};
SettledZeros settled_zeros(const Plan& plan);

}  // namespace isoshard::verify
