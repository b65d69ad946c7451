// Attention whose heads are shared by the devices of an axis (docs/spec/originals.md, "Transformer"; Vaswani et al.
// 2017). Queries, keys and values of the device's own heads come from one layer that gathers the features, attention
// needs no communication, and the output layer scatters. The three are joined along the heads, so that one product per
// step of the ring makes all of them. Scores of later positions are replaced by the lowest f32 before the softmax, as
// Flax does, which is zero behind it. Cost: b h n^2 d per device, h its heads.
#include "parallel/tensor_parallel/multi_head_attention.h"

#include <cmath>
#include <limits>
#include <utility>

#include "parallel/layers/dense_general.h"
#include "parallel/layers/layers.h"
#include "parallel/layers/norms.h"
#include "parallel/tensor_parallel/tp_norm.h"

namespace isoshard {
namespace {

/// Scores [b, heads, queries, keys]; those that a causal position does not see are the lowest finite ones.
ValueId hide_later(ModelBuilder& m, ValueId scores, const Location& location) {
  if (!scores.valid()) return {};
  const ValueId mask = causal_mask(m, m.shape(scores)[2], "", location);
  const ValueId visible = m.broadcast_like(mask, {2, 3}, scores, "", location);
  const auto lowest = Rational::from_double(static_cast<double>(std::numeric_limits<float>::lowest()));
  return m.op(Select{}, {visible, scores, m.constant_like(scores, lowest, "", location)}, "", location);
}

DenseFn attention_out(int64_t features) {
  return DenseFn{"AttnOut", [=](Scope& self, ValueId x, const Initializer& kernel_init, bool use_bias) {
                   Scope child = self.child("out");
                   return dense_general(child, DenseGeneral{{features}, 2, kernel_init, use_bias}, x);
                 }};
}

}  // namespace

bool check_attention(ModelBuilder& m, const TpMultiHeadAttention& layer, ValueId x, const Location& location) {
  if (m.shape(x).size() != 3) {
    m.error("C-attention",
            "TPMultiHeadAttn: x has " + std::to_string(m.shape(x).size()) +
                " dimensions; expected 3, sequences, positions and features",
            location);
    return false;
  }
  return share_of_device(m, "TPMultiHeadAttn", layer.num_heads, "heads", layer.axis, location).has_value();
}

ValueId dot_product_attention(ModelBuilder& m, ValueId q, ValueId k, ValueId v, bool causal, const std::string& name,
                              const Location& location) {
  if (!q.valid()) return {};
  const Rational scale = Rational::from_double(1 / std::sqrt(static_cast<double>(m.shape(q).back())));
  const ValueId scaled = m.with_constant(Multiply{}, q, scale, "", location);
  ValueId scores = m.op(DotGeneral{{{3}, {3}}, {}, {{0, 2}, {0, 2}}}, {scaled, k}, "", location);
  if (causal) scores = hide_later(m, scores, location);
  const ValueId weights = softmax(m, scores, "", location);
  const ValueId mixed = m.op(DotGeneral{{{3}, {1}}, {}, {{0, 1}, {0, 2}}}, {weights, v}, "", location);
  return m.op(Transpose{{0, 2, 1, 3}}, {mixed}, name, location);
}

ValueId qkv_dense(Scope& self, const TpMultiHeadAttention& layer, ValueId x, const Initializer& kernel_init) {
  const Shape features{layer.num_heads / self.m().mesh().size(layer.axis), layer.head_dim};
  const auto project = [&](const std::string& name) {
    Scope child = self.child(name);
    return dense_general(child, DenseGeneral{features, 1, kernel_init, false}, x);
  };
  ValueId q = project("query"), k = project("key");
  const ValueId v = project("value");
  if (layer.normalize_qk) {
    Scope query_norm = self.child("query_norm"), key_norm = self.child("key_norm");
    q = rms_norm(query_norm, RmsNorm{}, q);
    k = rms_norm(key_norm, RmsNorm{}, k);
  }
  return self.m().op(Concatenate{2}, {q, k, v});
}

ValueId attend_to_qkv(ModelBuilder& m, ValueId qkv, bool causal, const Location& location) {
  if (!qkv.valid()) return {};
  const int64_t heads = m.shape(qkv)[2] / 3;
  const auto third = [&](int64_t i) { return m.slice(qkv, 2, i * heads, (i + 1) * heads, "", location); };
  const ValueId q = third(0), k = third(1), v = third(2);
  return dot_product_attention(m, q, k, v, causal, "", location);
}

ValueId tp_multi_head_attention(Scope& self, const TpMultiHeadAttention& layer, ValueId x, const std::string& name,
                                const Location& location) {
  ModelBuilder& m = self.m();
  if (!x.valid() || !check_attention(m, layer, x, location)) return {};
  const DenseFn qkv_fn{"QKVDense", [&](Scope& scope, ValueId v, const Initializer& kernel_init, bool) {
                         return qkv_dense(scope, layer, v, kernel_init);
                       }};
  TpAsyncDense in{qkv_fn, layer.axis};
  TpAsyncDense out{attention_out(m.shape(x).back()), layer.axis};
  in.tp_mode = "gather";
  out.tp_mode = "scatter";
  in.kernel_init_adjustment = out.kernel_init_adjustment = fan_in_adjustment(m, layer.axis);
  in.use_bidirectional_gather = layer.use_bidirectional_gather;
  out.use_bidirectional_scatter = layer.use_bidirectional_scatter;
  Scope norm = self.child("pre_norm"), first = self.child("qkv"), second = self.child("out");
  const ValueId qkv = tp_async_dense(first, in, tp_norm(norm, layer.axis, x), "", location);
  return tp_async_dense(second, out, attend_to_qkv(m, qkv, layer.causal, location), name, location);
}

}  // namespace isoshard
