#pragma once  // internal

#include <optional>

#include "verify/evidence/evidence.h"

namespace isoshard::verify {

/// Where the devices' results of `instruction` stand in a value of the reference, when each is a block of it but all
/// together do not cover it (a diagonal, as the scores of one step of ring attention): told by where its operands
/// stand, and compared element by element. Of contractions and elementwise ops with matched operands only.
std::optional<Match> match_diagonal_blocks(const Evidence& e, const Instruction& instruction);

}  // namespace isoshard::verify
