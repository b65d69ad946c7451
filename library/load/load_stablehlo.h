#pragma once  // internal

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/module.h"
#include "core/support/diagnostic.h"
#include "library/load/load_request.h"

namespace isoshard::library {

using Source = std::shared_ptr<const SourceFile>;

/// The program of a StableHLO text, for the sizes of `mesh` where it names none; errors go to `sink`.
std::optional<Module> load_stablehlo(const Source& text, const std::vector<MeshAxis>& mesh, const LoadRequest& request,
                                     DiagnosticSink& sink);

/// The programs of two texts and the claim that they are equal.
std::optional<Module> load_stablehlo_pair(const Source& left, const Source& right, const std::vector<MeshAxis>& mesh,
                                          const LoadRequest& request, DiagnosticSink& sink);

/// Reports `--set`, which a text has nothing for; whether it was there.
bool refuse_settings(const LoadRequest& request, DiagnosticSink& sink);

/// Reports options that are for StableHLO texts only, `--range` and `--args`, of an input that is none; whether there
/// were any.
bool refuse_text_options(const std::string& input, const LoadRequest& request, DiagnosticSink& sink);

}  // namespace isoshard::library
