// The first and last layer of a tensor-parallel language model (docs/spec/originals.md, "Transformer"). The embedding
// has its features split: each device looks up its own part of each row, and sinusoids are computed for the features it
// has, from its index. The output layer gathers the features and splits positions instead, so that each device has all
// logits of its own positions and the loss needs no communication over the vocabulary; its parameters are sharded as in
// FSDP, since all devices use the same. A soft cap bends logits by tanh. Cost: one all_gather.
#include "parallel/tensor_parallel/tp_language_model.h"

#include <cmath>
#include <utility>

#include "parallel/layers/embed.h"
#include "parallel/layers/norms.h"
#include "parallel/sharding/array_utils.h"
#include "parallel/sharding/shard_module_params.h"
#include "parallel/tensor_parallel/tensor_parallel.h"

namespace isoshard {
namespace {

/// position 10000^(-i / features) for the even i of this device's features: f32[positions, features / 2].
ValueId angles(ModelBuilder& m, const Group& axis, int64_t positions, int64_t features, const Location& location) {
  const Shape pairs{positions, features / 2};
  const ValueId own = m.op(AxisIndex{axis}, {}, "", location);
  const ValueId start = m.with_constant(Multiply{}, own, Rational(features), "", location);
  const ValueId twice = m.with_constant(Multiply{}, m.op(Iota{DType::i32, pairs, 1}, {}), Rational(2), "", location);
  const ValueId index = m.add(twice, m.broadcast_like(start, {}, twice, "", location), "", location);
  const auto width = static_cast<double>(features * m.mesh().size(axis));
  const auto rate = static_cast<double>(static_cast<float>(-std::log(10000.0) / width));
  const ValueId power = m.with_constant(Multiply{}, m.op(Convert{DType::f32}, {index}, "", location),
                                        Rational::from_double(rate), "", location);
  const ValueId position = m.op(Convert{DType::f32}, {m.op(Iota{DType::i32, pairs, 0}, {}, "", location)});
  return m.multiply(position, m.op(Exponential{}, {power}, "", location), "", location);
}

/// sin and cos of each angle beside each other: [positions, features].
ValueId waves(ModelBuilder& m, const Group& axis, int64_t positions, int64_t features, const Location& location) {
  const ValueId angle = angles(m, axis, positions, features, location);
  std::vector<ValueId> parts;
  for (const OpData& wave : {OpData(Sine{}), OpData(Cosine{})}) {
    parts.push_back(m.op(Reshape{{positions, features / 2, 1}}, {m.op(wave, {angle}, "", location)}, "", location));
  }
  return m.op(Reshape{{positions, features}}, {m.op(Concatenate{2}, parts, "", location)}, "", location);
}

/// x plus what `pos_enc` adds to each position.
ValueId with_positions(Scope& self, const TpInputEmbedding& layer, ValueId x, const Location& location) {
  ModelBuilder& m = self.m();
  if (!x.valid()) return {};
  const int64_t positions = m.shape(x)[1];
  const ValueId added = layer.positions == Positions::learned
                            ? self.param("pos_emb", normal_initializer(0.02), {positions, layer.features})
                            : waves(m, layer.axis, positions, layer.features, location);
  return m.add(x, m.broadcast_like(added, {1, 2}, x, "", location), "", location);
}

ValueId capped(ModelBuilder& m, ValueId logits, const Rational& cap, const std::string& name,
               const Location& location) {
  const ValueId bent = m.tanh(m.with_constant(Divide{}, logits, cap, "", location), "", location);
  return m.with_constant(Multiply{}, bent, cap, name, location);
}

}  // namespace

ValueId tp_input_embedding(Scope& self, const TpInputEmbedding& layer, ValueId ids, const Location& location) {
  ModelBuilder& m = self.m();
  if (!ids.valid()) return {};
  const bool pairs = layer.positions == Positions::sinusoidal;
  if (m.shape(ids).size() != 2 || (pairs && layer.features % 2 != 0)) {
    return m.error("C-embed",
                   "TPInputEmbedding: ids of " + std::to_string(m.shape(ids).size()) + " dimensions and " +
                       std::to_string(layer.features) +
                       " features; expected sequences and positions, and an even number of features for sinusoids",
                   location);
  }
  const ModuleFn module_fn = [&](Scope& scope, ValueId v) {
    Scope token_emb = scope.child("token_emb"), pos_enc = scope.child("pos_enc");
    const Embed tokens{layer.num_embeddings, layer.features, normal_initializer(1.0)};
    return with_positions(pos_enc, layer, embed(token_emb, tokens, v, "", location), location);
  };
  Scope wrapper = self.child("module");
  return model_parallelism_wrapper(wrapper, layer.axis, module_fn, ids);
}

ValueId tp_output_layer(Scope& self, const TpOutputLayer& layer, ValueId x, const std::string& name,
                        const Location& location) {
  ModelBuilder& m = self.m();
  if (!x.valid()) return {};
  const ValueId whole = m.all_gather(x, layer.axis, static_cast<int64_t>(m.shape(x).size()) - 1, "", location);
  const ValueId own =
      as_state(m, split_array_over_mesh(m, whole, layer.axis, 1, "", location), layer.axis, State::varying, location);
  Scope norm = self.child("out_norm"), output = self.child("output_layer");
  const ModuleFn normalize = [&](Scope& scope, ValueId v) { return rms_norm(scope, RmsNorm{}, v, "", location); };
  const ModuleFn project = [&](Scope& scope, ValueId v) {
    const Dense logits{layer.outputs, lecun_normal_initializer(), layer.use_bias};
    return dense(scope, logits, v, layer.soft_cap ? "" : name, location);
  };
  const ValueId n = shard_module_params(norm, layer.axis, normalize, own, layer.min_weight_size);
  const ValueId logits = shard_module_params(output, layer.axis, project, n, layer.min_weight_size);
  return layer.soft_cap && logits.valid() ? capped(m, logits, *layer.soft_cap, name, location) : logits;
}

}  // namespace isoshard
