#pragma once

#include <optional>
#include <vector>

#include "verify/diagnosis.h"
#include "verify/ring_stage.h"

namespace isoshard::verify {

/// The first view whose padding a wrong output depends on: that output changes with the padding, all else being equal.
/// Nothing where no padding does harm. `globals` and `domain` are those of a run in which the programs differ.
std::optional<Diagnosis> diagnose_padding(const Pair& pair, const sim::Domain& domain,
                                          const std::vector<sim::Value>& globals, const RingOutcome& outcome,
                                          int workers);

}  // namespace isoshard::verify
