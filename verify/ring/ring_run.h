#pragma once

#include <string>
#include <vector>

#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// The globals whose integers, keys or predicates are drawn unless they are covered.
std::vector<std::string> discrete_inputs(const Pair& pair, bool soft_predicates);

/// Runs draws until each of the outputs `wanted` (empty: all) has differed, or all draws. An output that is not wanted,
/// such as an update that a wanted one reads in the next step, may count as equal after fewer draws.
RingOutcome compare_in_ring(const Pair& pair, const RingOptions& options, const std::vector<bool>& wanted = {});

}  // namespace isoshard::verify
