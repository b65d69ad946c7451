#pragma once

#include "verify/pair.h"
#include "verify/report.h"
#include "verify/ring_stage.h"

namespace isoshard::verify {

struct EquivalenceOptions {
  uint64_t seed = 0;
  int workers = 0;
  size_t least_lanes = 2;
  RingFactory ring;                                       ///< empty: rung A; tests plant faulty ones
  RingInputs ring_inputs;                                 ///< empty: draw_ring
  std::function<std::unique_ptr<sim::Domain>()> bounded;  ///< empty: sim's; tests plant faulty ones
};

/// Fills the equivalence part of `report`: rung A, where that does not do and the programs compare floats rung B, then
/// F, then (unless all is equal) the diagnosis.
///
/// EQUAL needs equal ring values, an error bound of at most 2^-20 and no x/0; NOT EQUAL needs an f64 counterexample;
/// all else is undecided, with its reason.
void decide_equivalence(const Pair& pair, const EquivalenceOptions& options, CheckReport& report);

}  // namespace isoshard::verify
