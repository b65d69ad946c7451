#pragma once  // internal

#include "verify/compare/pair.h"
#include "verify/equivalence_options.h"
#include "verify/report/report.h"

namespace isoshard::verify {

/// Fills the equivalence part of `report`: the rungs A, B, E and Eh as far as they are needed (run_ladder), then F,
/// then (unless all is equal) the diagnosis.
///
/// EQUAL needs equal ring values, an error bound of at most LaneChoice::worst and no x/0; NOT
/// EQUAL needs an f64 counterexample; all else is undecided, with its reason.
void decide_equivalence(const Pair& pair, const EquivalenceOptions& options, CheckReport& report);

}  // namespace isoshard::verify
