#pragma once

#include <cstdint>

#include "core/ir/module.h"
#include "verify/report.h"

namespace isoshard::verify {

struct CheckOptions {
  uint64_t seed = 0;       ///< of all random inputs; equal seeds give equal reports (but for the time)
  int workers = 0;         ///< 0 = one per core
  size_t least_lanes = 2;  ///< 1 to 8; more are taken when the error bound needs them
};

/// Decides `check`: types, then equivalence by the ladder of docs/soundness.md (rungs A and F), then the diagnosis.
///
/// A check whose programs return different outputs is bad input (CheckReport::bad_input, exit code 2).
CheckReport check(const Module& module, const Check& check, const CheckOptions& options = {});

}  // namespace isoshard::verify
