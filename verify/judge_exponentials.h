#pragma once

#include <string>
#include <vector>

#include "core/support/location.h"
#include "verify/pair.h"
#include "verify/ring_stage.h"

namespace isoshard::verify {

/// What rungs C and D say of the outputs of one pair: the values, and which of them are equal formulas.
struct Judged {
  RingOutcome ring;
  std::vector<std::string> doubts;  ///< per output: why equal values are no equal formulas; empty: they are
  std::vector<Location> locations;  ///< of the doubts
};

/// Runs one of the rungs C, Ch, D and Dh on all outputs of `pair` and says which of the `wanted` ones are equal
/// formulas.
Judged judge_exponentials(const Pair& pair, const RingOptions& options, const std::vector<bool>& wanted);

}  // namespace isoshard::verify
