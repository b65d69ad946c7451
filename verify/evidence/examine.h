#pragma once

#include <vector>

#include "verify/evidence/evidence.h"

namespace isoshard::verify {

/// Looks for the counterpart of every value of the sharded program on one input.
Evidence examine(const Pair& pair, const Trace& sharded, const Trace& reference, const Matcher& matcher,
                 const std::vector<sim::Value>& globals, const sim::Domain& domain);

}  // namespace isoshard::verify
