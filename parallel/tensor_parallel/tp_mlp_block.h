#pragma once

#include "parallel/tensor_parallel/tensor_parallel.h"

/// The MLPs that the original is tried with: tensor-parallel residual blocks and a classifier made of them
/// (docs/spec/originals.md, "MLP blocks").
namespace isoshard {

/// What TPMLPBlock and TPAsyncMLPBlock share. x and the result are [.., features of one device], V over `axis`; the
/// residual x + block(x) is the caller's.
struct TpMlpBlock {
  Group axis;
  int64_t hidden = 0;  ///< features between the two layers, of all devices together
  Activation activation = Activation::silu;
  bool split_scatter = false;    ///< TPAsyncMLPBlock: use_bidirectional_scatter
  std::optional<DType> dtype{};  ///< of the layers' computation and results; statistics of norms are f32
};

/// TPMLPBlock: `input`, a gathering TPDense of RMSNorm `pre_norm` and Dense `dense`, then `output`, a scattering
/// TPDense of the activation and Dense `dense`. The norm stands inside the wrapper: every device has a scale of its own
/// for all features, and `output` one bias for each device. The devices of `axis` divide `hidden` (C-divide).
ValueId tp_mlp_block(Scope& self, const TpMlpBlock& block, ValueId x, const std::string& name = "",
                     const Location& location = Location::here());

/// TPAsyncMLPBlock: the same with TPAsyncDense. RMSNorm `pre_norm` comes first, with the statistics of all devices, for
/// what a gathering TPAsyncDense is made from has to be linear; the activation, which the original has inside each
/// shard of `output`, is computed once, for all have the same x.
ValueId tp_async_mlp_block(Scope& self, const TpMlpBlock& block, ValueId x, const std::string& name = "",
                           const Location& location = Location::here());

/// TPClassifier: `input_layer`, a gathering TPDense which takes whole rows, `mlp` with `layers` residual blocks in a
/// scan, and `output_layer`, whose terms are summed to logits on every device.
struct TpClassifier {
  Group axis;
  int64_t hidden = 0;  ///< features of the residual stream and of the blocks, of all devices together
  int64_t layers = 1;
  int64_t classes = 0;
  bool async = false;            ///< blocks are TPAsyncMLPBlock
  bool split_scatter = false;    ///< of those
  std::optional<DType> dtype{};  ///< in which all layers compute; the logits are f32 in any case
};
/// x [.., features], the same on all devices of `axis`, to f32 logits [.., classes], R over `axis`. The devices divide
/// `hidden` (C-divide).
ValueId tp_classifier(Scope& self, const TpClassifier& model, ValueId x, const std::string& name = "",
                      const Location& location = Location::here());

}  // namespace isoshard
