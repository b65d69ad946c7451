#pragma once

#include <optional>

#include "sim/run/memory_estimate.h"
#include "verify/bounds/error_bound.h"
#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Bytes that comparing both programs of `pair` in `domain` holds at most, the globals that both update included.
sim::MemoryEstimate estimate_memory(const Pair& pair, const sim::Domain& domain, int workers);
/// The error (D-memory) that deciding `pair` would need more memory than this machine has, before anything is drawn.
std::optional<Diagnostic> exceeds_memory(const Pair& pair, const LaneChoice& lanes, int workers);

}  // namespace isoshard::verify
