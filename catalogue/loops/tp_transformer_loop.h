#pragma once

#include "catalogue/loops/tp_mlp_loop.h"

namespace isoshard {

/// Which attention stands at a path.
struct DeviceAttention {
  std::string path;
  int64_t heads = 1;  ///< of a device
  int64_t head_dim = 1;
  bool causal = true;
  bool normalize_qk = false;
  bool split_scatter = false;
};

/// What TPMultiHeadAttn gives, without a residual, as a loop over devices and heads: xs are [b, positions, features].
DeviceValues device_attention(const DeviceLoop& loop, const DeviceAttention& layer, const DeviceValues& xs);

/// What TPTransformerBlock gives.
DeviceValues device_transformer_block(const DeviceLoop& loop, const DeviceAttention& attention, const DeviceMlp& mlp,
                                      const DeviceValues& xs);

/// What TPTransformerParallelBlock at `path` gives; of `attention`, the path is not read.
DeviceValues device_parallel_block(const DeviceLoop& loop, const std::string& path, const DeviceAttention& attention,
                                   const DeviceValues& xs);

}  // namespace isoshard
