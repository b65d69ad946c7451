#pragma once

#include <set>
#include <string>

#include "verify/compare/pair.h"
#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// The integers, keys and predicates of the inputs that an output, of either program, depends on.
std::set<GlobalId> discrete_globals(const Pair& pair, size_t output);

/// What an equal output of `ring` rests on that was drawn and not covered: `@ids (8 draws)`, `the order of floats (40
/// orders)`; empty where nothing was.
std::string sampled_in_words(const Pair& pair, const RingOutcome& ring, size_t output);

}  // namespace isoshard::verify
