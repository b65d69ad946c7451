#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/import/stablehlo/text/syntax.h"
#include "core/ir/module.h"
#include "core/support/diagnostic.h"

namespace isoshard::stablehlo {

/// What the program of a main is called, and what its results and arguments are.
struct MainNames {
  std::string program;
  std::vector<std::string> results;
  std::vector<GlobalId> globals;  ///< one per argument
  std::vector<MeshAxis> mesh;     ///< of a text that names none
};

/// Adds the untyped program of `main` to a module, with its mesh; nothing after an error (M-...).
std::optional<ProgramId> lower_main(const ModuleText& text, const Function& main, const MainNames& names,
                                    Module& module, DiagnosticSink& sink);

}  // namespace isoshard::stablehlo
