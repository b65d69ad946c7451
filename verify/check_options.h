#pragma once

#include <cstdint>
#include <optional>

#include "sim/engine/workers.h"
#include "verify/answers/rung.h"
#include "verify/bounds/lane_choice.h"

namespace isoshard::verify {

/// How a check is made, and what its report is to hold.
struct CheckOptions {
  uint64_t seed = 0;  ///< of all random inputs; equal seeds give equal reports (but for the time)
  sim::Workers workers{};
  LaneChoice lanes{};             ///< 2 to 8 for an error of 2^-40, at most 2^-20
  std::optional<Rung> only_rung;  ///< only that one, then F; empty: as many as are needed
  bool accept_sampled = false;    ///< NOT REFUTED has exit code 0
  bool bounds = false;            ///< fill CheckReport::bounds
  bool diagnosis = true;          ///< look for the cause of what is not equal; false: verdicts and counterexamples only
  bool keep_inputs = false;       ///< fill Counterexample::arrays
  bool order = true;              ///< fill CheckReport::deadlock and race
  bool warnings = false;          ///< fill CheckReport::warnings, of what holds
  bool backwards = true;          ///< fill CheckReport::backwards: compare what users wrote with what is derived
};

}  // namespace isoshard::verify
