#pragma once

#include <string>
#include <vector>

#include "core/ir/module.h"

namespace isoshard::autodiff {

/// A function with one mistake.
struct Mutant {
  ProgramId function;
  std::string what;  ///< the op and what was done to it
};

/// Copies of `function`, added to the module, each with one mistake in one op, also inside scans: a result lost,
/// negated, doubled or replaced by an operand, operands exchanged or replaced, another op of the same signature, other
/// dimensions, places, permutations, groups, owners, directions and constants. Mistakes whose types do not fit are left
/// out.
std::vector<Mutant> mutants_of(Module& module, ProgramId function);

}  // namespace isoshard::autodiff
