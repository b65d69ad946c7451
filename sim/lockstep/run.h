#pragma once

#include <vector>

#include "core/plan/plan.h"
#include "core/support/result_fwd.h"
#include "sim/domains/domain.h"
#include "sim/engine/engine.h"
#include "sim/engine/run_options.h"

namespace isoshard::sim {

/// Runs `plan` on its virtual devices: `globals[i]` is the whole array of plan.globals[i] in `domain`.
///
/// Fails with rule `D-deadlock` (the wait-for cycle: rank, op, group, sequence number) when no device can go on and
/// with `D-mismatch` when members of a rendezvous bring different ops or shapes, or disagree on who sends to whom; with
/// `D-assert` (rank, value, first index) when those of an assert_equal bring different values. No timeouts are
/// involved, and the diagnostic does not depend on workers or interleaving. Exceptions of workers are rethrown here.
Result<RunResult> run(const Plan& plan, const Domain& domain, const std::vector<Value>& globals,
                      const RunOptions& options = {});

}  // namespace isoshard::sim
