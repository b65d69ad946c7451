#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/import/stablehlo/text/syntax.h"
#include "core/support/diagnostic.h"

namespace isoshard::stablehlo {

/// Reads a module of StableHLO as `jax.jit(f).lower(...).as_text()` prints it; nothing after an error (M-syntax, or
/// M-unsupported for types and forms that are not read).
///
/// Operations are read whether they are known or not.
std::optional<ModuleText> parse(const std::shared_ptr<const SourceFile>& file, DiagnosticSink& sink);

/// Whether a text begins as a module of MLIR does, whatever its file is called.
bool looks_like_mlir(std::string_view text);

}  // namespace isoshard::stablehlo
