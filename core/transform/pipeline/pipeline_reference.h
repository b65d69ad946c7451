#pragma once

#include <optional>

#include "core/ir/module.h"

namespace isoshard {

/// Whether `program` has a pipeline, and so a reference.
bool has_pipeline(const Program& program);

/// Adds `@NAME.reference` to the module: the program with its pipelines written out without a schedule. Every rank
/// gathers the parameters of all stages, runs the stages one after another for each micro-batch, differentiates them as
/// one function, and keeps what the pipeline gives it. Nothing but the funcs is shared with the lowering of pipelines.
std::optional<ProgramId> build_pipeline_reference(Module& module, ProgramId program, DiagnosticSink& sink);

}  // namespace isoshard
