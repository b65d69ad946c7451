#pragma once  // internal

#include <vector>

#include "verify/compare/inputs.h"
#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Integers to try where an output is not known to be equal for all: one global that the output depends on holds one
/// number everywhere, each that stands in the programs, with both neighbours, in turn; the other globals are not among
/// them. At most `most`.
std::vector<Integers> special_integers(const Pair& pair, size_t output, size_t most);

}  // namespace isoshard::verify
