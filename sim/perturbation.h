#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.h"
#include "sim/domain.h"

namespace isoshard::sim {

/// Adds something to one element of one value on one device, to see what depends on it.
struct Perturbation {
  /// Of a collective or permute the result is changed, of another instruction what it reads as its first operand.
  InstructionId instruction;
  int64_t position = 0;
  std::vector<int64_t> loops;  ///< iterations of the enclosing repeats, innermost last
  int64_t element = 0;
  Value delta;  ///< a scalar of the value's dtype
};

/// `x` with delta added to one element; float values only.
Value perturbed(const Value& x, int64_t element, const Value& delta, const Domain& domain);

}  // namespace isoshard::sim
