#pragma once

#include "core/plan/plan.h"
#include "verify/race/race_report.h"

namespace isoshard::verify {

/// Plans the buffers of `plan`, with tokens for bytes that are used again (Reuse::tokens), and decides whether uses of
/// them race. Undecided where buffers cannot be planned or looked at (`L-arena`, `L-buffer`).
RaceReport decide_races(Plan plan);

}  // namespace isoshard::verify
