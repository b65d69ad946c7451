#pragma once

#include <cstdint>
#include <vector>

#include "core/ir/module.h"
#include "tests/mutation/inputs.h"

namespace isoshard::mutation {

/// Inputs on which the pairs of families are told right or wrong.
struct FamilyInputs {
  std::vector<Inputs> draws;
  bool all_integers = false;  ///< every combination of values that integers and predicates may have is among them
};

/// For the globals of `module`: every combination of integers where there are at most 2^12, and as many more draws at
/// random; floats of both signs, quarters with many zeros and equal ones, and numbers at and beside the constants of
/// the programs. Otherwise draws whose integers stand at the ends of their ranges, at the programs' constants and
/// beside them, all different, all equal or ascending.
FamilyInputs family_inputs(const Module& module, uint64_t seed);

}  // namespace isoshard::mutation
