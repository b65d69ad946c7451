#pragma once

#include "parallel/tensor_parallel/multi_head_attention.h"
#include "parallel/tensor_parallel/tp_mlp_block.h"

namespace isoshard {

/// A transformer block with its parameters shared by the devices of `attention.axis`, which is `mlp.axis`, too
/// (TPTransformerBlock of the UvA notebooks; docs/spec/originals.md, "Transformer"): x + drop(attn(x)), then that plus
/// drop(mlp(..)).
struct TpTransformerBlock {
  TpMultiHeadAttention attention;
  TpMlpBlock mlp;
  Group fsdp{};  ///< shards the parameters of `attn` and `mlp` as shard_module_params does; empty: nothing is sharded
  int64_t fsdp_min_weight_size = 0;
  double dropout_rate = 0;  ///< above 0 the scope needs a key of the stream `dropout`
};
/// x [b, positions, features of one device] to the same, V over the axis. Errors as for its parts.
ValueId tp_transformer_block(Scope& self, const TpTransformerBlock& block, ValueId x, const std::string& name = "",
                             const Location& location = Location::here());

/// The same with both parts side by side (TPTransformerParallelBlock): RMSNorm `pre_norm`, one gathering TPAsyncDense
/// `hqkv` whose shards have `mlp` and `qkv`, one scattering TPAsyncDense `out` whose shards have `mlp` and `attn` and
/// add them, shard_0 with two biases; x + drop(that). `mlp.split_scatter` is not read. With `fsdp` the block is sharded
/// as a whole.
ValueId tp_transformer_parallel_block(Scope& self, const TpTransformerBlock& block, ValueId x,
                                      const std::string& name = "", const Location& location = Location::here());

}  // namespace isoshard
