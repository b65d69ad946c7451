#pragma once  // internal

#include <vector>
#include "verify/compare/pair.h"
#include "verify/equivalence_options.h"
#include "verify/floats/float_run.h"
#include "verify/ring/ring_options.h"
#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// What the ladder says of a pair, and how it was asked.
struct LadderAnswer {
  RingOutcome ring{};
  RingOptions options{};          ///< of the run that `ring` is of, with the readings of constants that it took
  std::vector<bool> explained{};  ///< per output: a second reading of constants explains its difference
};

/// Asks the rungs as far as they are needed, and again with other readings of the programs where outputs are open
/// (docs/spec/verdict.md). A program that fails has `ring.failure`.
LadderAnswer ask_ladders(const Pair& pair, const EquivalenceOptions& options);

/// How rung F is asked about programs as they are written.
FloatOptions float_options_of(const EquivalenceOptions& options);

}  // namespace isoshard::verify
