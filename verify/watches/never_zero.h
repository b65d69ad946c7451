#pragma once  // internal

#include <cstdint>
#include <vector>

#include "verify/compare/pair.h"
#include "verify/watches/use_marks.h"

namespace isoshard::verify {

/// What partial functions of the sharded program, those of `marks`, need of values of which no element is 0 for any
/// input: not to be 0, and not to be negative of those that are not.
std::vector<PartialArgument> never_zero(const Pair& pair, const UseMarks& marks, uint64_t seed);

}  // namespace isoshard::verify
