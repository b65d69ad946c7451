#pragma once

#include "core/import/stablehlo/text/syntax.h"
#include "core/support/diagnostic.h"

namespace isoshard::stablehlo {

/// Whether each use of a name is written with the type that the name was defined with, and each function with the
/// results that it returns; M-type and M-operands otherwise, at the first place. Names that nothing defines are left to
/// whoever makes the program.
bool agrees_with_itself(const ModuleText& text, DiagnosticSink& sink);

}  // namespace isoshard::stablehlo
