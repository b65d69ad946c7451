#pragma once  // internal

#include <vector>

#include "core/ir/module.h"

namespace isoshard::verify {

/// Values that reach no output and no check of values, at the op that makes the last one of each chain
/// (W-unused-value).
std::vector<Diagnostic> unused_values(const Module& module);
/// Globals that no program reads or updates (W-unused-global).
std::vector<Diagnostic> unused_globals(const Module& module);

}  // namespace isoshard::verify
