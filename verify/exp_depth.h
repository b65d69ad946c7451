#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// The digits of Z/p^3 that exponentials may use up: each nesting loses one (equivalence.md 4).
inline constexpr int kMostExpDepth = 2;

/// How deeply exponentials are nested in an output on its worst path, between opaque functions.
struct ExpDepth {
  int depth = 0;      ///< counted up to kMostExpDepth + 1
  std::string value;  ///< the first whose depth is above kMostExpDepth
  Location location;
};

/// Per output of the Plan, over `steps` steps. A logarithm takes one off; where a logarithm is compared or hashed, that
/// counts as one exponential. `logistic`: rung D, where it is made of exp.
std::vector<ExpDepth> exp_depths(const Plan& plan, int64_t steps, bool logistic);

}  // namespace isoshard::verify
