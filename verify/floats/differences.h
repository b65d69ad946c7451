#pragma once

#include <optional>
#include <vector>

#include "verify/floats/float_run.h"
#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// Per output, in rung F beside what the ring said.
struct OpenOutputs {
  std::vector<bool> differs;  ///< in the ring, or no rung vouches for it
  std::vector<bool> drawn;    ///< equal on drawn integers or orders only
};

/// Rung F beside the ring: random inputs, integers that the ring tells apart and that the programs treat apart, then
/// special floats, until a counterexample is found. `ordinary` is compare_in_floats(), where that ran already.
FloatOutcome look_for_differences(const Pair& pair, const FloatOptions& options, const RingOutcome& ring,
                                  const OpenOutputs& open, std::optional<FloatOutcome> ordinary = {});

}  // namespace isoshard::verify
