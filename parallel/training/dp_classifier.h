#pragma once

#include "parallel/module/module.h"

namespace isoshard {

/// The classifier that the original's tutorials train with data parallelism: Dense `input_dense`, silu, Dropout, Dense
/// `output_dense`.
struct DpClassifier {
  int64_t hidden = 0;
  int64_t classes = 0;
  double dropout = 0;
  std::optional<DType> dtype{};  ///< in which the layers compute; the logits are f32 in any case
  /// shard_module_params of both layers over this axis, of what has more elements than `min_weight_size`.
  std::optional<Group> fsdp{};
  int64_t min_weight_size = 0;
};

/// The rows of one device [batch, features] -> f32 logits [batch, classes].
ValueId dp_classifier(Scope& self, const DpClassifier& model, ValueId x);

}  // namespace isoshard
