#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/engine/engine.h"

namespace isoshard::sim {

/// The globals with which the next step begins after `result` of `plan` on `globals`: updated ones assembled from the
/// blocks that the devices stored (of copies that differ the first), all others unchanged.
std::vector<Value> next_globals(const Plan& plan, std::vector<Value> globals, const RunResult& result);

/// Sees the blocks that each step stored; steps count from 1.
using StepObserver = std::function<void(int64_t step, const RunResult& result)>;

/// Runs `steps` (1 or more) steps of `plan`, each on the globals that the one before has updated; the result of the
/// last one. Fails as run() does.
Result<RunResult> run_steps(const Plan& plan, const Domain& domain, std::vector<Value> globals, int64_t steps,
                            const RunOptions& options = {}, const StepObserver& observer = {});

}  // namespace isoshard::sim
