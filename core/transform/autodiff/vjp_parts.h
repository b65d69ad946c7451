#pragma once

#include <vector>

#include "core/ir/types/symbol_table.h"

namespace isoshard::autodiff {

/// A function in two parts, both functions of the module.
struct Vjp {
  /// The arguments of the original; gives its results and then the residuals.
  ProgramId forward{};
  /// One cotangent for each of `active_results`, then the residuals; gives one cotangent for each of `wrt`.
  ProgramId backward{};
  size_t residuals = 0;
  std::vector<size_t> wrt;             ///< arguments
  std::vector<size_t> active_results;  ///< results that depend on them
};

}  // namespace isoshard::autodiff
