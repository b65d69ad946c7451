#pragma once

#include <string>
#include <vector>

#include "core/support/location.h"
#include "verify/pair.h"
#include "verify/ring_stage.h"

namespace isoshard::verify {

/// What rung E says of the outputs of one pair: the values, and which of them are equal formulas.
struct Judged {
  RingOutcome ring;
  std::vector<std::string> doubts;  ///< per output: why equal values are no equal formulas; empty: they are
  std::vector<Location> locations;  ///< of the doubts
};

/// Whether sinusoids and powers as exponentials may decide what else is open, at a price that can be paid.
bool asks_by_exponentials(const Pair& pair);

/// Runs rung E or Eh on all outputs of `pair`, in towers as high as the programs need, and says which of the `wanted`
/// ones are equal formulas.
Judged judge_exponentials(const Pair& pair, const RingOptions& options, const std::vector<bool>& wanted);

}  // namespace isoshard::verify
