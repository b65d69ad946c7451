#pragma once

#include <optional>
#include <vector>

#include "core/ir/module.h"

namespace isoshard {

/// A function in two parts, both functions of the module.
struct SplitFunction {
  /// The arguments `first_arguments` of the original; gives the chosen results, then what is handed over.
  ProgramId first{};
  /// The arguments `second_arguments`, then what is handed over; gives the other results.
  ProgramId second{};
  std::vector<size_t> first_arguments, second_arguments;  ///< of the original, those that the part reads
  std::vector<size_t> first_results, second_results;      ///< of the original, in order
  size_t handed = 0;
};

/// Cuts a function: the first part has what `first_results` (in ascending order, some but not all) need, the second one
/// the rest.
///
/// What both need is computed in the first part and handed over, but for constants, which both make. A scan becomes
/// two scans, where the first one stacks what the second one reads; a call becomes calls of the parts of its callee.
/// Nothing after an error, which a Builder reported.
std::optional<SplitFunction> split_function(Module& module, ProgramId function,
                                            const std::vector<size_t>& first_results, DiagnosticSink& sink);

}  // namespace isoshard
