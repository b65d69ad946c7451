#pragma once

#include <memory>
#include <optional>

#include "core/ir/module.h"
#include "core/support/diagnostic.h"
#include "core/text/syntax/syntax.h"
#include "core/text/text.h"

namespace isoshard::text {

/// What `file` imports in its place, meshes, lets and globals in file order, then programs, funcs and checks.
std::optional<Module> elaborate(const FileSyntax& tree, const std::shared_ptr<const SourceFile>& file,
                                const ElaborateOptions& options, DiagnosticSink& sink);

}  // namespace isoshard::text
