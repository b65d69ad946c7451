#pragma once

#include <optional>
#include <string>

#include "core/ir/module.h"
#include "core/support/location.h"
#include "core/support/result_fwd.h"
#include "library/load/load_request.h"

namespace isoshard::library {

/// The module of a FILE or a NAME of the catalogue, elaborated for --mesh and --set; errors go to `sink`.
///
/// What names a file that exists, has a `/` or ends in `.shard` or `.json` is a file; `.json` is an error (P-json).
std::optional<Module> load(const std::string& input, const LoadRequest& request, DiagnosticSink& sink);

/// The same for a NAME of the catalogue only.
std::optional<Module> load_model(const std::string& name, const LoadRequest& request, DiagnosticSink& sink);

/// Whether the file at `path` is JSON, by its suffix: no program, as JSON is only written.
bool is_json(const std::string& path);

/// Whether the file at `path` is a Plan (core/text/plan/plan_text.h), by its suffix `.plan`.
bool is_plan(const std::string& path);

/// Whether the file at `path` is StableHLO, by its suffix `.mlir` or by how it begins
/// (core/import/stablehlo/text/parse.h).
bool is_stablehlo(const std::string& path, const LoadRequest& request);

/// The programs of two StableHLO texts and the claim that they are equal; errors go to `sink`.
std::optional<Module> load_pair(const std::string& left, const std::string& right, const LoadRequest& request,
                                DiagnosticSink& sink);

/// The program that `--program` names, or the left side of the first check, or the only program; errors go to `sink`.
std::optional<ProgramId> choose_program(const Module& module, const std::string& input, const LoadRequest& request,
                                        DiagnosticSink& sink);

}  // namespace isoshard::library
