#pragma once

#include "parallel/pipelines/pipeline_parallel.h"

/// The looping pipeline: several stages per device, through which micro-batches pass in rounds (interleaved, breadth
/// first: Lamy-Poirier 2022; docs/spec/originals.md, "Looping pipeline").
namespace isoshard {

/// How many rounds of M micro-batches go over the N devices of an axis.
struct LoopingSchedule {
  Group axis;
  int64_t stages = 1;  ///< N, one device each
  int64_t loops = 1;
  int64_t micro_batches = 1;

  int64_t iterations() const { return loops * micro_batches + stages - 1; }
};

/// What a device does in one iteration, i32 scalars; -1 is nothing.
struct LoopingIndices {
  ValueId input;   ///< the waiting micro-batch that the first device takes; the others take what has come
  ValueId update;  ///< the micro-batch that has come round, where the first device keeps it for the next round
  ValueId params;  ///< the round, whose parameters it uses; 0 in bubbles
  ValueId output;  ///< the micro-batch that leaves the last device for good
  ValueId number;  ///< the micro-batch of the device; in bubbles below 0, or M and more
};
/// What a device does in `iteration`, an i32 scalar that is = on the axis.
LoopingIndices looping_indices(ModelBuilder& m, const LoopingSchedule& schedule, ValueId iteration,
                               const Location& location = Location::here());

/// execute_pipeline with `loops` stages on each device: x goes through the modules of all devices in the order of their
/// index, `loops` times, each time with other parameters, which have a leading dimension for the rounds below that of
/// the devices. With as many layers on a device, bubbles are `loops` times shorter than those of execute_pipeline.
///
/// A scan of T = loops M + N - 1 iterations; the first device keeps micro-batches that wait for their next round, so
/// that they have to be back by then: M >= N, or one round. Dropout keys are split(key, T)[t]. Everything else is as in
/// execute_pipeline, its errors (C-pipeline) too; less than one loop and M < N are errors.
ValueId execute_looping_pipeline(Scope& self, const Pipeline& pipeline, int64_t loops, const PipelineFn& module,
                                 ValueId x, const std::string& name = "", const Location& location = Location::here());

/// execute_looping_pipeline of `module_fn`, as pipeline_module is execute_pipeline of it.
ValueId looping_pipeline_module(Scope& self, const Group& axis, int64_t num_microbatches, int64_t loops,
                                const ModuleFn& module_fn, ValueId x, const std::string& name = "",
                                const Location& location = Location::here());

}  // namespace isoshard
