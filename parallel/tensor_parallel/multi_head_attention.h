#pragma once

#include "parallel/tensor_parallel/tensor_parallel.h"

/// Attention whose heads are shared by the devices of an axis (TPMultiHeadAttn of the UvA notebooks;
/// docs/spec/originals.md, "Transformer").
namespace isoshard {

/// `pre_norm`, an RMSNorm with the statistics of all devices; `qkv`, a gathering TPAsyncDense of which every shard has
/// `query`, `key` and `value` [features of x, heads of a device, head_dim] without biases; attention over the heads of
/// the device; `out`, a scattering TPAsyncDense of `out` [heads of a device, head_dim, features of x] with a bias in
/// shard_0. Kernels of both begin N^-1/2 times as large, for they see one of N parts of the fan-in.
///
/// With `normalize_qk` every shard of `qkv` has `query_norm` and `key_norm` over head_dim, and what reaches the softmax
/// is a sum of N norms, which is not the norm of the sum and on no two numbers of devices the same.
struct TpMultiHeadAttention {
  Group axis;
  int64_t num_heads = 0;  ///< of all devices
  int64_t head_dim = 0;
  bool causal = true;
  bool normalize_qk = false;
  bool use_bidirectional_gather = true;
  bool use_bidirectional_scatter = false;
};
/// x [b, positions, features of one device] to the same, V over `axis`; the residual is the caller's. The devices
/// divide `num_heads` (C-divide). An x of another rank is an error (C-attention).
ValueId tp_multi_head_attention(Scope& self, const TpMultiHeadAttention& layer, ValueId x, const std::string& name = "",
                                const Location& location = Location::here());

/// softmax(q k / sqrt(d)) v in f32: q, k, v and the result are [b, positions, heads, d]. Causal: a position sees itself
/// and those before it, and what it does not see has the lowest finite f32 for a score.
ValueId dot_product_attention(ModelBuilder& m, ValueId q, ValueId k, ValueId v, bool causal,
                              const std::string& name = "", const Location& location = Location::here());

/// Makes one shard of the layer's `qkv`: `query`, `key` and `value` of x, and their norms, joined along the heads: [b,
/// positions, 3 heads of a device, head_dim]. They travel as one array, and are summed as one.
ValueId qkv_dense(Scope& self, const TpMultiHeadAttention& layer, ValueId x, const Initializer& kernel_init);
/// Attention over what such shards have summed: [b, positions, heads of a device, head_dim].
ValueId attend_to_qkv(ModelBuilder& m, ValueId qkv, bool causal, const Location& location = Location::here());
/// Whether the layer can be built over x; if not, it is reported.
bool check_attention(ModelBuilder& m, const TpMultiHeadAttention& layer, ValueId x, const Location& location);

}  // namespace isoshard
