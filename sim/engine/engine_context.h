#pragma once  // internal

#include "sim/engine/fabric.h"
#include "sim/engine/run_context.h"

namespace isoshard::sim {

/// What devices that go their own ways share; only the fabric changes, and it synchronises itself.
struct EngineContext : RunContext {
  Fabric& fabric;
};

}  // namespace isoshard::sim
