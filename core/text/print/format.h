#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/support/diagnostic.h"

namespace isoshard::text {

/// `file` with canonical blanks: what `isoshard fmt` writes. Nothing when it has errors of syntax (P-...).
///
/// Tokens, comments and the choice of lines stay; indentation, blanks within lines, aligned trailing comments, single
/// blank lines and `\n` at line ends are made the same everywhere. Formatting the result changes nothing.
std::optional<std::string> format_source(const std::shared_ptr<const SourceFile>& file, DiagnosticSink& sink);

}  // namespace isoshard::text
