#pragma once

#include <cstdint>

#include "verify/lane_choice.h"
#include "verify/report.h"

namespace isoshard {
struct Module;
struct Check;
}  // namespace isoshard

namespace isoshard::verify {

struct CheckOptions {
  uint64_t seed = 0;              ///< of all random inputs; equal seeds give equal reports (but for the time)
  int workers = 0;                ///< 0 = one per core
  LaneChoice lanes{};             ///< 2 to 8 for an error of 2^-40, at most 2^-20
  std::optional<Rung> only_rung;  ///< only that one, then F; empty: as many as are needed
  bool accept_sampled = false;    ///< NOT REFUTED has exit code 0
  bool bounds = false;            ///< fill CheckReport::bounds
  bool diagnosis = true;          ///< look for the cause of what is not equal; false: verdicts and counterexamples only
  bool keep_inputs = false;       ///< fill Counterexample::arrays
  bool backwards = true;          ///< fill CheckReport::backwards: compare what users wrote with what is derived
};

/// Decides `check`: types, then equivalence by the ladder of docs/soundness.md (the rungs A, B, E and Eh as far as they
/// are needed, then F), then the diagnosis.
///
/// A check whose programs return different outputs is bad input (CheckReport::bad_input, exit code 2).
CheckReport check(const Module& module, const Check& check, const CheckOptions& options = {});

}  // namespace isoshard::verify
