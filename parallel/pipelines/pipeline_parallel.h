#pragma once

#include "parallel/module/module.h"
#include "parallel/pipelines/pipeline.h"

/// A pipeline of stages, one per device of an axis, through which micro-batches pass (Huang et al. 2019;
/// xlstm_jax.distributed.pipeline_parallel, docs/spec/originals.md, "Pipeline").
namespace isoshard {

/// What a stage sends on, and what it gives.
struct PipelineStep {
  ValueId state;   ///< of the device before: what this one computes in the next iteration
  ValueId output;  ///< of the last stage; zeros on all others
};
/// One iteration of one stage: the first stage takes `input`, others `state`, and every stage sends what `module` makes
/// of it to the next; the last one sends to the first, which ignores it. `input` and `state` are V over `axis`.
PipelineStep execute_pipeline_step(Scope& self, const ModuleFn& module, ValueId state, ValueId input, const Group& axis,
                                   const Location& location = Location::here());

/// Runs x, [batch, ..], through the modules of all devices of the axis in the order of their index: the last device
/// gets what the first one's x comes to, all others zeros. The result has the type of x and is V over the axis; to have
/// it on every device take it for terms, P (`as_state`), and add them up by all_reduce.
///
/// With M micro-batches and N stages a scan of T = M + N - 1 iterations moves every micro-batch on by one stage each.
/// Iterations in which a stage has none (bubbles) run its module on zeros, or on what came of them. `module` runs in
/// `self`, also once beside the program, with the same parameters in every iteration and in iteration t the dropout key
/// split(key, T)[t]. Values of the program around it reach it as `kwargs` only, which are not cut into micro-batches. x
/// is V, or R or I, which become V; in untyped programs = or V. Over a tuple of axes that is not in the order of the
/// mesh micro-batches move in that of the mesh while stages are counted in that of the tuple, as in the original.
///
/// C-pipeline: x is a scalar, M is less than 1 or does not divide the batch, the module makes another dtype or shape of
/// its input, has variables, or draws keys of a stream other than `dropout`.
ValueId execute_pipeline(Scope& self, const Pipeline& pipeline, const PipelineFn& module, ValueId x,
                         const std::string& name = "", const Location& location = Location::here());

/// PipelineModule: execute_pipeline of `module_fn`, which names its module in `self`. Stand in a
/// model_parallelism_wrapper over `axis` for every stage to have parameters of its own.
ValueId pipeline_module(Scope& self, const Group& axis, int64_t num_microbatches, const ModuleFn& module_fn, ValueId x,
                        const std::string& name = "", const Location& location = Location::here());

}  // namespace isoshard
