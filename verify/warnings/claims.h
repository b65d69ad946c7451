#pragma once  // internal

#include <vector>

#include "core/ir/module.h"

namespace isoshard::verify {

/// Checks whose sides are one program, or two with the same ops (W-same).
std::vector<Diagnostic> checks_of_the_same(const Module& module);
/// Programs that no check names, also not by its gradients, where there are checks (W-unchecked).
std::vector<Diagnostic> unchecked_programs(const Module& module);
/// Globals that have no elements, so that nothing of them is compared (W-empty).
std::vector<Diagnostic> empty_globals(const Module& module);

}  // namespace isoshard::verify
