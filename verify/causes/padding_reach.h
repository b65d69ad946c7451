#pragma once

#include <cstdint>

#include "sim/engine/workers.h"
#include "verify/compare/inputs.h"
#include "verify/compare/pair.h"
#include "verify/compare/steps.h"

namespace isoshard::verify {

/// The floats of each step as draw_float() draws them; `domain` must outlive it.
DrawGlobal drawn_floats(const Pair& pair, const sim::Domain& domain, uint64_t seed, uint32_t index);

/// Whether the padding of uneven blocks of floats may reach an output or an assert_equal of either program for some
/// input, as far as structure shows: false where it cannot, whatever the inputs are. True also where a run fails.
bool padding_may_reach(const Pair& pair, uint64_t seed, const sim::Workers& workers);

}  // namespace isoshard::verify
