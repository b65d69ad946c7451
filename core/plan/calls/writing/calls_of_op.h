#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/calls/call.h"
#include "core/plan/calls/fusion/chain.h"

namespace isoshard::calls {

/// What computes one instruction, in order, on one stream.
struct LocalCalls {
  std::vector<LocalCall> calls;
  int64_t scratch_bytes = 0;   ///< that they use from `scratch` on
  std::optional<Chain> chain;  ///< of one Map, all that it writes being the one result
};

}  // namespace isoshard::calls
