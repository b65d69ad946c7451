#pragma once  // internal

#include <memory>
#include <vector>

#include "core/support/diagnostic.h"
#include "sim/engine/engine_device.h"

namespace isoshard::sim {

/// Why nothing can go on: a cycle of ranks that wait for each other, or a rank that waits for one that has finished.
///
/// One note per step, each at the location of the waiting op. Call only when no device runs and one is not done.
Diagnostic explain_deadlock(const EngineContext& context, const std::vector<std::unique_ptr<Device>>& devices);

}  // namespace isoshard::sim
