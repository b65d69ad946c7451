#pragma once

#include "catalogue/loops/device_loop.h"
#include "parallel/module/model_builder.h"
#include "parallel/tensor_parallel/tp_mlp_block.h"

namespace isoshard {

/// Which MLP block stands at a path.
struct DeviceMlp {
  std::string path;  ///< of the block, in which `input` and `output` stand
  Activation activation = Activation::silu;
  bool async = false;          ///< TPAsyncMLPBlock
  bool split_scatter = false;  ///< of that
};

/// What TPMLPBlock or TPAsyncMLPBlock gives, without a residual, as a loop over the devices.
DeviceValues device_mlp(const DeviceLoop& loop, const DeviceMlp& block, const DeviceValues& xs);

/// The logits that TPClassifier gives of all rows x: a loop over the layers, and in each one over the devices.
ValueId device_classifier(const DeviceLoop& loop, const TpClassifier& model, ValueId x);

}  // namespace isoshard
