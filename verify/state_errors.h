#pragma once  // internal

#include <vector>

#include "core/ir/module.h"

namespace isoshard::verify {

/// The verdict "types": the state errors of both programs of `check` and of the functions they call, each with its
/// repair, none twice.
std::vector<Diagnostic> type_errors(const Module& module, const Check& check);

}  // namespace isoshard::verify
