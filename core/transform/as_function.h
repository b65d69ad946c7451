#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ir/module.h"

namespace isoshard {

/// A program as a function of the globals that it views.
struct FunctionOfGlobals {
  /// Its arguments are what `views` read, its results the values of `outputs`, in their order.
  ProgramId function{};
  std::vector<OpId> views;      ///< ops of the program: the views of globals with a gradient, outside of scans
  std::vector<size_t> outputs;  ///< of the program: those whose values have a gradient
};

/// Adds the function `name` to the module; whatever else the program reads (constants, keys, what bodies of scans view)
/// it reads as well. An error (V-return) where no output has a gradient.
std::optional<FunctionOfGlobals> as_function(Module& module, ProgramId program, const std::string& name,
                                             DiagnosticSink& sink);

}  // namespace isoshard
