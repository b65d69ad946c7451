#pragma once

#include <cstdint>

#include "sim/engine/workers.h"
#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Whether the padding of uneven blocks of floats may reach an output or an assert_equal of either program for some
/// input, as far as structure shows: false where it cannot, whatever the inputs are. True also where a run fails.
bool padding_may_reach(const Pair& pair, uint64_t seed, const sim::Workers& workers);

}  // namespace isoshard::verify
