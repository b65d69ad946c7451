#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verify/pair.h"

namespace isoshard::verify {

/// A value of one program that the sensitivity test perturbs: the argument of an exponential or the result of a
/// collective.
struct Site {
  InstructionId instruction;
  std::string name;  ///< of the value
  Location location;
  TensorType type;
  std::vector<int64_t> positions;  ///< that run it; empty: all
  std::vector<int64_t> counts;     ///< of the enclosing repeats, innermost last
};

/// The sites of `plan` that the outputs `wanted` (per output of the plan) depend on over `steps` steps; float values
/// with elements only. `logistic`: rung D, where it is an exponential.
std::vector<Site> sensitivity_sites(const Plan& plan, const std::vector<bool>& wanted, int64_t steps, bool logistic);

/// Per instruction: whether some wanted output depends on it.
std::vector<bool> wanted_cone(const Plan& plan, const std::vector<bool>& wanted, int64_t steps);

}  // namespace isoshard::verify
