#pragma once  // internal

#include "sim/domains/soft/soft_float_arrays.h"

namespace isoshard::sim {

/// Says of the elements that `decided`, what the ring makes of x and y, leaves open, which operand they are in either
/// case: where it is neither of them, and they have no tables.
void choose_by_cases(const SoftFloatArrays& arrays, const SoftPair& pair, std::byte* decided);

}  // namespace isoshard::sim
