#pragma once

#include "parallel/module/module.h"

namespace isoshard {

/// The pipeline classifier of the original's tutorials (docs/spec/originals.md, "Pipeline classifier"): `input_dense`,
/// a pipeline of layers x + W2 drop(silu(W1 LayerNorm(x) + b1)) + b2, `output_norm` and `output_dense`, each in a
/// wrapper over the axis.
struct PpClassifier {
  Group axis;  ///< one stage per device
  int64_t num_microbatches = 1;
  int64_t hidden = 0;
  int64_t layers = 1;  ///< of one stage
  int64_t classes = 0;
  double dropout = 0;
  int64_t loops = 1;  ///< stages of a device: with more than one it is a looping pipeline
};

/// [batch, features] -> the logits [batch, classes] of the last device, V over the axis. Others give what their head
/// makes of zeros, and all but the first feed the pipeline what it ignores: the parameters of `input_dense` are zeros
/// at first but on the first device, those of the head but on the last.
ValueId pp_classifier(Scope& self, const PpClassifier& layer, ValueId x);

}  // namespace isoshard
