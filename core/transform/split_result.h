#pragma once

#include <vector>

#include "core/ir/types/symbol_table.h"

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

}  // namespace isoshard
