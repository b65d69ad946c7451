#pragma once

#include <vector>

#include "core/plan/plan.h"

namespace isoshard {

/// All loops, inner ones first.
std::vector<const Repeat*> repeats_of(const Plan& plan);

/// What `roots` (per instruction of `plan`) depend on, themselves included, through loops and other ranks as
/// well.
struct Cone {
  std::vector<bool> instructions;
  std::vector<bool> values;  ///< operands of those instructions, and what the values of loops among them are made of
};
Cone cone_of(const Plan& plan, const std::vector<bool>& roots);

}  // namespace isoshard
