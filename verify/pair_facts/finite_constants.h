#pragma once

#include "sim/integers/constants.h"
#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Nothing but: constants of magnitude sim::kLeastMask or more that are no masks (docs/spec/verdict.md, "Constants"),
/// so that rings must not read them as infinite. Those that data is compared with or bounded by (max(x, -20000) is not
/// x), that all of it is shifted by (exp(x - 20000) is not 0), and those in whose masked data something else is
/// interested than exponentials and orders.
sim::ConstantReadings finite_constants(const Pair& pair);

}  // namespace isoshard::verify
