#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir/module.h"
#include "core/transform/split_result.h"

namespace isoshard {

/// What the ranks of a pipeline call: functions of the module. Without `wrt` there is no backward, and no residuals.
///
/// The arguments of a forward are the input and then those that `wrt` counts: of a stage the stage's own, of the last
/// stage all operands of the pipeline.
struct PipelineParts {
  ProgramId forward{};        ///< gives the output, then residuals
  ProgramId backward{};       ///< of the cotangent of the output and residuals: of the input, then of the stage's `wrt`
  ProgramId last_forward{};   ///< gives the loss, its further results, then residuals
  ProgramId last_backward{};  ///< of residuals, for a loss with the gradient 1: of the input, then of all `wrt`
  size_t further = 0;         ///< results of the loss function behind the loss
  /// backward and last_backward in two, for a schedule with I and W: the first part gives the gradient of the input.
  /// Nothing where the schedule has no I, or where there is no other gradient: I is then the whole backward, W nothing.
  std::optional<SplitFunction> split{}, last_split{};
};

/// Adds the parts of `pipeline` to the module. Errors: those of build_vjp, A-loss where a stage or the loss gives
/// nothing that has a gradient, V-pipeline where a func names the axis of the stages.
std::optional<PipelineParts> pipeline_parts(Module& module, const PipelineRun& pipeline, DiagnosticSink& sink,
                                            const Location& location);

/// The loss behind a chain of stages in one function, in two parts: the reference that a pipeline is compared with.
struct PipelineChain {
  ProgramId forward{};   ///< of the input, the other arguments of each stage, those of the loss: as last_forward
  ProgramId backward{};  ///< as last_backward; the gradients of the arguments `wrt`
  std::vector<size_t> wrt{};
  size_t further = 0;
};
/// Adds them to the module, for `stages` stages: arguments of the stages that `wrt` of the pipeline counts stand once
/// per stage. Errors as above; pipeline_parts has found none.
std::optional<PipelineChain> pipeline_chain(Module& module, const PipelineRun& pipeline, int64_t stages,
                                            DiagnosticSink& sink, const Location& location);

/// pipeline_parts on a copy of the module: only its errors. False where there are some.
bool check_pipeline(const Module& module, const PipelineRun& pipeline, DiagnosticSink& sink, const Location& location);

}  // namespace isoshard
