#pragma once

#include "verify/check_options.h"
#include "verify/report/report.h"

namespace isoshard {
struct Module;
struct Check;
}  // namespace isoshard

namespace isoshard::verify {

/// Decides `check`: types, then equivalence by the ladder of docs/soundness.md (the rungs A, B, E and Eh as far as they
/// are needed, then F), then the diagnosis.
///
/// A check whose programs return different outputs is bad input (CheckReport::bad_input, exit code 2).
CheckReport check(const Module& module, const Check& check, const CheckOptions& options = {});

}  // namespace isoshard::verify
