#pragma once

#include <cstdint>

#include "verify/compare/pair.h"

namespace isoshard::verify {

/// How many elements one run of both programs computes on all devices in all steps: what a search may cost is told by
/// it, not by a clock, so that equal seeds give equal verdicts.
uint64_t elements_computed(const Pair& pair);

}  // namespace isoshard::verify
