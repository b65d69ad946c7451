#pragma once

#include <memory>
#include <optional>

#include "core/text/text.h"

namespace isoshard::text {

/// Reads what print_json(Module) writes; nothing after an error. Programs go through the Builder, so that every rule
/// applies again and types and states are inferred; where they differ from what is written is an error (E-differs).
///
/// Null stands for a program that is left out, if nothing refers to it. A module is elaborated: `options` that change
/// something are an error (E-option). Other errors: P-json, P-key, P-value, P-version of the JSON, those of
/// parse_module for what it holds, all with places in `file`.
std::optional<Module> parse_json_module(const std::shared_ptr<const SourceFile>& file, const ElaborateOptions& options,
                                        DiagnosticSink& sink);

}  // namespace isoshard::text
