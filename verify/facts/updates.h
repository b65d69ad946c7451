#pragma once

#include <cstdint>

#include "core/ir/module.h"

namespace isoshard::verify {

/// The global whose initial value `global` has in `check`: itself, or the source of its `map`.
GlobalId origin(const Check& check, GlobalId global);

/// The output of the other program that belongs to `output`: of an update that of the global with the same origin, of a
/// result the one of the same name. Null when there is none.
const Output* counterpart(const Check& check, const Output& output, const std::vector<Output>& others);

/// Reports globals that only one of the two programs updates (rule C-updates).
bool check_updates(const Module& module, const Check& check, DiagnosticSink& sink);

}  // namespace isoshard::verify
