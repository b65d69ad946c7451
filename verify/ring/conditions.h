#pragma once

#include <cstdint>
#include <vector>

#include "verify/compare/pair.h"
#include "verify/ring/ring_outcome.h"
#include "verify/watches/definedness.h"

namespace isoshard::verify {

/// Adds what equal outputs need of inputs, besides that the reference has a value.
void take_definedness(const Definedness& defined, RingOutcome& ring);

/// Adds the ties of outputs that are equal, or have a value, only where x > y is x >= y: they are so for almost all
/// inputs, a condition, unless there are ties everywhere. `holds`: per output, with ties `apart`; an output that does
/// not, though none of its comparisons tells ties, rests on what it lacks there.
void take_ties(const Pair& pair, uint64_t seed, const std::vector<bool>& holds, const Definedness& apart,
               RingOutcome& ring);

}  // namespace isoshard::verify
