#pragma once

#include <optional>
#include <vector>

#include "core/ir/module.h"
#include "core/transform/split_result.h"

namespace isoshard {

/// Cuts a function: the first part has what `first_results` (in ascending order, some but not all) need, the second one
/// the rest.
///
/// What both need is computed in the first part and handed over, but for constants, which both make. A scan becomes
/// two scans, where the first one stacks what the second one reads; a call becomes calls of the parts of its callee.
/// Nothing after an error, which a Builder reported.
std::optional<SplitFunction> split_function(Module& module, ProgramId function,
                                            const std::vector<size_t>& first_results, DiagnosticSink& sink);

}  // namespace isoshard
