#pragma once

#include <optional>

#include "core/ir/module.h"

namespace isoshard {

/// The same program, not in the module, with the views of globals with a gradient that stand in bodies of scans in
/// front of them: what they read does not depend on the iteration, so it is carried in. Updates are left out.
std::optional<Program> hoist_views(Module& module, const Program& program, DiagnosticSink& sink);

}  // namespace isoshard
