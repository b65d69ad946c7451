#pragma once

#include "parallel/module/module.h"

/// What stands before and behind the blocks of a transformer whose features are split over an axis (UvA notebooks,
/// TPLMHead of xlstm_jax; docs/spec/originals.md, "Transformer").
namespace isoshard {

enum class Positions : uint8_t {
  learned,     ///< a parameter `pos_emb` [positions, features], of deviation 0.02 at first
  sinusoidal,  ///< sin and cos of position 10000^(-i / features) for even i, in pairs (Vaswani et al. 2017)
};

/// TPInputEmbedding: in a wrapper `module`, `token_emb`, an Embed of deviation 1, and `pos_enc`, which adds positions.
struct TpInputEmbedding {
  Group axis;
  int64_t num_embeddings = 0;
  int64_t features = 0;  ///< of a device
  Positions positions = Positions::learned;
};
/// ids [b, positions], the same on all devices of `axis`, to [b, positions, features], V: the features of the device.
/// Sinusoidal positions come in pairs, so that `features` is even (C-embed).
ValueId tp_input_embedding(Scope& self, const TpInputEmbedding& layer, ValueId ids,
                           const Location& location = Location::here());

/// TPOutputLayer: all features of the device's block of positions, RMSNorm `out_norm`, Dense `output_layer`, with the
/// parameters of both sharded over `axis` itself, as shard_module_params does. TPLMHead has no bias, and
/// cap tanh(logits / cap) with a `soft_cap`.
struct TpOutputLayer {
  Group axis;
  int64_t outputs = 0;
  bool use_bias = true;
  std::optional<Rational> soft_cap{};
  int64_t min_weight_size = 0;
};
/// x [b, positions, features of a device], V over `axis`, to [b, positions / N, outputs], V: the logits of the device's
/// positions. Positions beyond N times those are dropped, as split_array_over_mesh does.
ValueId tp_output_layer(Scope& self, const TpOutputLayer& layer, ValueId x, const std::string& name = "",
                        const Location& location = Location::here());

}  // namespace isoshard
