#pragma once

#include <optional>

#include "sim/run/memory_estimate.h"
#include "verify/bounds/error_bound.h"
#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Bytes that comparing both programs of `pair` in `domain` holds at most, the globals that both update included.
sim::MemoryEstimate estimate_memory(const Pair& pair, const sim::Domain& domain, int workers);

/// Of deciding a pair.
struct MemoryNeed {
  std::optional<Diagnostic> error;  ///< D-memory: more than this machine has
  double most = 0;                  ///< bytes of any one run of the fields or of floats, with however many lanes
};

/// Before anything is drawn.
MemoryNeed memory_need(const Pair& pair, const LaneChoice& lanes, int workers);

}  // namespace isoshard::verify
