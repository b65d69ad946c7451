#pragma once  // internal

#include <optional>

#include "core/plan/plan.h"
#include "sim/engine/engine.h"
#include "sim/engine/run_context.h"

namespace isoshard::sim {

/// Whether the devices of `plan` may take each instruction together: all are in one group, and no message has its two
/// sides in different instructions.
bool may_run_in_step(const Plan& plan);

/// Runs a Plan that may, instruction by instruction in issue order. Nothing where members do not agree (the peers of a
/// permute, the values of an assert_equal): the engine, which says how, has to run it again.
std::optional<RunResult> run_in_step(const RunContext& context, size_t workers);

}  // namespace isoshard::sim
