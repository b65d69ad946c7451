#pragma once  // internal

#include "verify/check_options.h"
#include "verify/compare/pair.h"
#include "verify/report/report.h"
#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

struct EquivalenceOptions : CheckOptions {
  std::optional<sim::MemoryLimit> memory{};                 ///< see RingOptions
  RingFactory ring{};                                       ///< empty: rung A; tests plant faulty ones
  RingInputs ring_inputs{};                                 ///< empty: draw_ring
  std::function<std::unique_ptr<sim::Domain>()> bounded{};  ///< empty: sim's; tests plant faulty ones
};

/// Fills the equivalence part of `report`: the rungs A, B, E and Eh as far as they are needed (run_ladder), then F,
/// then (unless all is equal) the diagnosis.
///
/// EQUAL needs equal ring values, an error bound of at most LaneChoice::worst and no x/0; NOT
/// EQUAL needs an f64 counterexample; all else is undecided, with its reason.
void decide_equivalence(const Pair& pair, const EquivalenceOptions& options, CheckReport& report);

}  // namespace isoshard::verify
