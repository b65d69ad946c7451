#pragma once

#include "parallel/module/module.h"

/// The pipeline of the Rust crate `shrew` (docs/spec/originals.md, "Pipeline of shrew"): stages of layers, and a batch
/// that passes through all of them in chunks, one after another on the same device. Nothing is communicated, overlapped
/// or scheduled; what pipelines stages over devices is pipeline_parallel.h.
namespace isoshard {

/// Layers in a row. Layer k has the scope `layer_k` of the stage.
class PipelineStage {
 public:
  explicit PipelineStage(int64_t stage_id) : stage_id_(stage_id) {}

  /// This stage with one more layer at its end.
  PipelineStage add_layer(ModuleFn layer) const;
  /// A label: it neither orders stages nor has to differ.
  int64_t stage_id() const { return stage_id_; }
  /// x through all layers; x itself where there are none. Nothing after the first error.
  ValueId forward(Scope& self, ValueId x) const;

 private:
  int64_t stage_id_;
  std::vector<ModuleFn> layers_;
};

/// Stages in a row, and the number of micro-batches that a batch is cut into.
class PipelineParallel {
 public:
  /// Nothing where there is no stage, or less than one micro-batch (C-pipeline).
  static std::optional<PipelineParallel> make(std::vector<PipelineStage> stages, int64_t num_micro_batches,
                                              DiagnosticSink& sink);

  /// The batch in chunks through all stages, joined again: [batch, ..] to what the stages make of it. Stage k of the
  /// list has the scope `stage_k`. Layers see one chunk at a time, so that they have to treat rows one by one for the
  /// result to be that of the whole batch; they may change shape and dtype, and draw no keys (C-key). A scalar is an
  /// error (C-pipeline).
  ValueId forward(Scope& self, ValueId x) const;
  /// The parameters that forward(self, x) reads: those of the first stage first, in the order of its layers.
  std::vector<ParamSpec> parameters(const Scope& self, ValueId x) const;

  int64_t num_stages() const { return std::ssize(stages_); }
  /// Null where there is none.
  const PipelineStage* stage(int64_t index) const;

  /// The rows of each chunk: ceil(batch / n) of the rest of the batch each, n = min(num_micro_batches, batch). The last
  /// has what is left, and there may be fewer chunks than n: 5 rows in 4 chunks are 2, 2 and 1. Where n is 0 or 1 the
  /// whole batch is one chunk.
  std::vector<int64_t> chunks(int64_t batch) const;

 private:
  PipelineParallel(std::vector<PipelineStage> stages, int64_t num_micro_batches)
      : stages_(std::move(stages)), num_micro_batches_(num_micro_batches) {}
  ValueId run_stages(Scope& self, ValueId x) const;

  std::vector<PipelineStage> stages_;
  int64_t num_micro_batches_;
};

}  // namespace isoshard
