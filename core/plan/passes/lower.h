#pragma once

#include "core/plan/plan.h"

namespace isoshard {

/// The Plan of `program` on its mesh: calls inlined, state ops gone, rank-dependent fields as expressions, collectives
/// on one queue per communicator with tokens where data crosses queues, last uses marked (docs/spec/plan.md,
/// "Lowering").
///
/// Requires a Program made by a Builder; state errors do not matter (every op keeps its literal values: "erased").
Plan lower(const Module& module, ProgramId program);

}  // namespace isoshard
